// SPDX-License-Identifier: MIT
#include "sched/worker/share/recent_demand.h"

#include <gtest/gtest.h>

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;

std::vector<books::Use> after(
    RecentDemand& demand, Duration elapsed, std::vector<books::Use> uses) {
  demand.foretell(elapsed, uses);
  return uses;
}

TEST(RecentDemand, AClassAtItsMeanNeedsNothingMore) {
  RecentDemand demand;
  for (int i = 0; i < 100; ++i) {
    const auto uses = after(demand, 2s, {{.class_id = 1, .used = 3000, .need = 1000}});
    ASSERT_EQ(uses.size(), 1u);
    EXPECT_EQ(uses[0].soon, 0);
  }
}

TEST(RecentDemand, AClassThatWasBusyIsExpectedAgain) {
  RecentDemand demand;
  for (int i = 0; i < 100; ++i) {
    after(demand, 2s, {{.class_id = 2, .used = 3000, .need = 1000}});
  }
  const auto uses = after(demand, 2s, {{.class_id = 1, .used = 100}, {.class_id = 3, .used = 1}});
  ASSERT_EQ(uses.size(), 3u) << "in the order of classes, and the idle one among them";
  EXPECT_EQ(uses[1].class_id, 2u);
  EXPECT_EQ(uses[1].used, 0);
  EXPECT_GT(uses[1].soon, 3000);
  EXPECT_LT(uses[1].soon, 4000);
  const auto part = after(demand, 2s, {{.class_id = 2, .used = 3000}});
  ASSERT_FALSE(part.empty());
  EXPECT_GT(part[0].class_id == 2 ? part[0].soon : part[1].soon, 300) << "less one use than before";
}

TEST(RecentDemand, OneThatStaysAwayIsForgotten) {
  RecentDemand demand;
  after(demand, 10s, {{.class_id = 1, .used = 4000}});
  EXPECT_EQ(after(demand, 0s, {}).size(), 1u) << "no time passed";
  const auto later = after(demand, 30s, {});
  ASSERT_EQ(later.size(), 1u);
  EXPECT_EQ(later[0].soon, 500);
  for (int i = 0; i < 500; ++i) after(demand, 2s, {});
  EXPECT_TRUE(after(demand, 2s, {}).empty());
}

}  // namespace
}  // namespace dunlin::sched
