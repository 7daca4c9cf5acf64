// SPDX-License-Identifier: MIT
#include "node/control/cells/balance_ring.h"

#include <gmock/gmock.h>

namespace dunlin::node {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const sched::CellId kRingCell = sched::cell_id(0, 0x1000);
const sched::CellId kOtherRingCell = sched::cell_id(0, 0x2000);
constexpr overlay::Time kRingStart{minutes(100)};

TEST(BalanceRing, TellsEachMinuteTheNewestLast) {
  BalanceRing ring;
  EXPECT_THAT(ring.of(kRingCell), IsEmpty());
  ring.add(kRingStart, {{kRingCell, {{1, 50}}}, {kOtherRingCell, {{1, 7}}}});
  ring.add(kRingStart + minutes(1), {{kRingCell, {{1, -20}, {2, 20}}}});
  const auto told = ring.of(kRingCell);
  ASSERT_THAT(told, SizeIs(2));
  EXPECT_EQ(told[0].class_id, 1u);
  EXPECT_THAT(told[0].values, ElementsAre(50, -20));
  EXPECT_THAT(told[1].values, ElementsAre(0, 20)) << "it was no class before";
  EXPECT_THAT(ring.of(kOtherRingCell), IsEmpty()) << "another node manages it now";
}

TEST(BalanceRing, KeepsTwoHoursAndNoMore) {
  BalanceRing ring;
  for (int i = 0; i < 200; ++i) ring.add(kRingStart + minutes(i), {{kRingCell, {{1, i}}}});
  const auto told = ring.of(kRingCell);
  ASSERT_THAT(told, SizeIs(1));
  ASSERT_THAT(told[0].values, SizeIs(120));
  EXPECT_EQ(told[0].values.front(), 80);
  EXPECT_EQ(told[0].values.back(), 199);
}

TEST(BalanceRing, AMinuteThatNobodySawBreaksIt) {
  BalanceRing ring;
  ring.add(kRingStart, {{kRingCell, {{1, 1}}}});
  ring.add(kRingStart + minutes(2), {{kRingCell, {{1, 2}}}});
  EXPECT_THAT(ring.of(kRingCell).at(0).values, ElementsAre(2));
}

TEST(BalanceRing, LooksOnceAMinute) {
  BalanceRing ring;
  ring.add(kRingStart, {{kRingCell, {{1, 1}}}});
  ring.look(kRingStart + seconds(30), nullptr);
  EXPECT_THAT(ring.of(kRingCell), SizeIs(1));
  ring.look(kRingStart + seconds(60), nullptr);
  EXPECT_THAT(ring.of(kRingCell), IsEmpty()) << "nobody shares any more";
}

}  // namespace
}  // namespace dunlin::node
