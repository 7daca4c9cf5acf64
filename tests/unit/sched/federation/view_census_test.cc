// SPDX-License-Identifier: MIT
#include "sched/federation/view_census.h"

#include <gmock/gmock.h>

#include "tests/unit/sched/federation/rows.h"

namespace dunlin::sched::federation {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

constexpr Time kNow = Time{} + 10s;

CellView news(std::uint64_t cell, std::vector<ViewRow> rows) {
  CellView view{.cell = {cell}, .epoch = 1, .version = 1, .last = true};
  view.kinds = {rows::kind({"gpu=yes", "zone=a"}), rows::kind({"gpu=yes"}), rows::kind({})};
  view.rows = std::move(rows);
  return view;
}

ViewRow row(std::uint64_t node, std::uint16_t kind, std::uint32_t cpu) {
  ViewRow told = rows::told(node, 100, cpu);
  told.kind = kind;
  return told;
}

class ViewCensusTest : public ::testing::Test {
 protected:
  ViewCensusTest() {
    view_.learn(news(1, {row(1, 1, 4000), row(2, 2, 4000), row(3, 3, 4000)}), kNow);
    view_.learn(news(2, {row(4, 1, 500)}), kNow - 5s);
  }
  ViewCensus census(Time since) {
    const Constraint wanted[] = {rows::constraint("gpu=yes"), rows::constraint("zone=a")};
    return census_of(view_, {.cpu = 1000}, wanted, since);
  }

  GlobalView view_{PeerId{100}};
};

TEST_F(ViewCensusTest, CountsRowsByConstraintAndRoom) {
  const ViewCensus all = census(Time{});
  EXPECT_EQ(all.cells, 2u);
  EXPECT_EQ(all.rows, 4u);
  EXPECT_THAT(all.satisfied, ElementsAre(3, 2));
  EXPECT_EQ(all.matching, 2u);
  EXPECT_EQ(all.with_room, 1u);
}

TEST_F(ViewCensusTest, LeavesCellsOutThatAMatchLeavesOut) {
  EXPECT_EQ(census(kNow).rows, 3u);
  view_.suspect({1});
  EXPECT_EQ(census(kNow).cells, 0u);
}

TEST_F(ViewCensusTest, CountsWhatIsLaunchedAsTaken) {
  view_.launch({.cell = {1}, .epoch = 1, .node = {1}}, {.cpu = 3500});
  EXPECT_EQ(census(Time{}).with_room, 0u);
}

}  // namespace
}  // namespace dunlin::sched::federation
