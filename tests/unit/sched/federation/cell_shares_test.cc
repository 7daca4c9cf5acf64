// SPDX-License-Identifier: MIT
#include "sched/federation/local/cell_shares.h"

#include <gmock/gmock.h>

namespace dunlin::sched::federation {
namespace {

using ::testing::SizeIs;

ClassUse use(ClassId class_id, std::uint64_t frontend, std::uint32_t cpu) {
  return {.class_id = class_id,
      .frontend = {frontend},
      .used = cpu,
      .yields = {.cpu = cpu, .memory = 1}};
}

/// Two classes with a half of a cell of 8 CPUs each. The first one has 6 CPUs.
class CellSharesTest : public ::testing::Test {
 protected:
  CellSharesTest() {
    shares_.set_shares({{1, 5}, {2, 5}});
    shares_.hear({1}, {use(1, 100, 3000), use(2, 101, 1000)});
    shares_.hear({2}, {use(1, 100, 2000), use(1, 101, 1000), use(2, 101, 1000)});
  }
  bool spares(ClassId class_id, Tickets part = 1000) const {
    return shares_.spares(class_id, part, 8000);
  }

  CellShares shares_;
};

TEST_F(CellSharesTest, WhatAMemberSaysIsBounded) {
  for (std::uint64_t node = 3; node <= 60; ++node) {
    shares_.hear({node}, {{.class_id = 1, .frontend = {100}, .used = ~std::uint64_t{0}}});
  }
  EXPECT_TRUE(spares(1));
  for (std::uint64_t node = 3; node <= 60; ++node) shares_.remove({node});
  EXPECT_EQ(shares_.totals({100})[0].used, 6000);
}

TEST_F(CellSharesTest, AClassAboveItsShareSparesWhatItHasBeyond) {
  EXPECT_TRUE(spares(1));
  EXPECT_TRUE(spares(1, 3999));
  EXPECT_FALSE(spares(1, 4000)) << "it would be as far below";
  EXPECT_FALSE(spares(2));
  EXPECT_FALSE(CellShares().spares(1, 1, 8000)) << "there is no table";
}

TEST_F(CellSharesTest, WhatIsUnderWayCountsAsStopped) {
  shares_.send(7, {1}, 1, 1000);
  EXPECT_TRUE(spares(1));
  shares_.send(8, {2}, 1, 1000);
  EXPECT_FALSE(spares(1));
  shares_.settle(7);
  EXPECT_TRUE(spares(1));
  EXPECT_THAT(shares_.yielding(1), SizeIs(1)) << "one member is asked for just now";
}

TEST_F(CellSharesTest, AMemberThatDeclinedIsNotAskedBeforeItSpeaks) {
  EXPECT_THAT(shares_.yielding(1), SizeIs(2));
  EXPECT_EQ(shares_.yielding(1)[1].second.cpu, 3000u) << "of all frontends";
  shares_.distrust({2});
  ASSERT_THAT(shares_.yielding(1), SizeIs(1));
  EXPECT_TRUE(spares(1)) << "it holds what it holds";
  shares_.hear({2}, {use(1, 100, 3000)});
  EXPECT_THAT(shares_.yielding(1), SizeIs(2));
}

TEST_F(CellSharesTest, TellsEachGlobalMasterWhatIsItsOwn) {
  const auto totals = shares_.totals({100});
  ASSERT_THAT(totals, SizeIs(2));
  EXPECT_EQ(totals[0], (ClassTotal{.class_id = 1, .used = 6000, .own = 5000}));
  EXPECT_EQ(totals[1], (ClassTotal{.class_id = 2, .used = 2000, .own = 0}));
  shares_.remove({1});
  shares_.hear({2}, {});
  EXPECT_TRUE(shares_.totals({100}).empty());
}

}  // namespace
}  // namespace dunlin::sched::federation
