// SPDX-License-Identifier: MIT
#include "sched/worker/share/class_shares.h"

#include <gtest/gtest.h>
#include <utility>
#include <vector>

#include "sched/ledger/class_name.h"
#include "tests/support/now.h"

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;
using test::kNow;

constexpr std::uint64_t kHalf = kWholeNode / 2;

std::vector<books::Use> uses_after(ClassShares& shares,
    Duration period,
    const std::vector<std::pair<ClassId, std::uint64_t>>& need = {}) {
  return shares.take(kNow + period, 8000, need);
}

TEST(ClassShares, AreEnforcedWhileThereAreTickets) {
  ClassShares shares(kNow);
  EXPECT_FALSE(shares.enforced());
  shares.set_tickets(kNow, {{1, 10}});
  EXPECT_TRUE(shares.enforced());
  shares.set_tickets(kNow, {});
  EXPECT_FALSE(shares.enforced());
}

TEST(ClassShares, ClassesInNoTableCountForTheDefaultClass) {
  ClassShares shares(kNow);
  const ClassId others = class_id_of("default");
  EXPECT_EQ(shares.class_of(7), others) << "no class has tickets yet";
  shares.set_tickets(kNow, {{7, 10}});
  EXPECT_EQ(shares.class_of(7), 7u);
  EXPECT_EQ(shares.class_of(8), others);
  shares.hold(kNow, 8, 100);
  EXPECT_EQ(shares.stride().held(others), 100u);
  EXPECT_EQ(shares.stride().held(8), 0u);
}

TEST(ClassShares, HoldsCountUntilTheyAreReleased) {
  ClassShares shares(kNow);
  shares.set_tickets(kNow, {{1, 10}, {2, 10}});
  shares.hold(kNow, 1, kHalf);
  shares.hold(kNow, 2, 100);
  shares.release(kNow + 4s, 1, kHalf);
  EXPECT_EQ(shares.stride().held(1), 0u);
  EXPECT_EQ(shares.stride().held(2), 100u);
  const auto uses = uses_after(shares, 8s);
  ASSERT_EQ(uses.size(), 2u);
  EXPECT_EQ(uses[0].used, 2000) << "half of the node for half of the time";
}

TEST(ClassShares, UsesAreOfOnePeriod) {
  ClassShares shares(kNow);
  shares.set_tickets(kNow, {{1, 10}});
  shares.hold(kNow, 1, kHalf);
  shares.ran(1, 2s);
  shares.ran(1, -1s);  // No clock of a node is trusted.
  EXPECT_EQ(uses_after(shares, 8s).at(0).cpu, 250) << "a thousandth of a CPU is a ticket";
  const auto later = uses_after(shares, 10s);
  EXPECT_EQ(later.at(0).cpu, 0);
  EXPECT_EQ(later.at(0).used, 4000);
}

TEST(ClassShares, APeriodOfNoLengthLosesNothing) {
  ClassShares shares(kNow);
  shares.set_tickets(kNow, {{1, 10}});
  shares.ran(1, 2s);
  EXPECT_TRUE(uses_after(shares, 0s).empty());
  EXPECT_EQ(uses_after(shares, 2s).at(0).cpu, 1000);
}

TEST(ClassShares, NeedIsSummedByClassAndNoMoreThanTheNodeHas) {
  ClassShares shares(kNow);
  shares.set_tickets(kNow, {{1, 10}, {2, 10}});
  const auto uses = uses_after(
      shares, 1s, {{1, kWholeNode / 8}, {2, kWholeNode}, {1, kWholeNode / 8}, {2, kWholeNode}});
  ASSERT_EQ(uses.size(), 2u);
  EXPECT_EQ(uses[0].class_id, 1u);
  EXPECT_EQ(uses[0].need, 2000);
  EXPECT_EQ(uses[1].need, 8000);
}

TEST(ClassShares, AClassThatWasBusyIsSaidToNeedTheNodeSoon) {
  ClassShares shares(kNow);
  shares.set_tickets(kNow, {{1, 10}});
  shares.hold(kNow, 1, kHalf);
  shares.release(kNow + 30s, 1, kHalf);
  EXPECT_EQ(uses_after(shares, 30s).at(0).soon, 0) << "less than it uses now";
  const auto idle = uses_after(shares, 60s);
  ASSERT_EQ(idle.size(), 1u);
  EXPECT_EQ(idle[0].used, 0);
  EXPECT_EQ(idle[0].soon, 1000) << "a half of a half of 4000";
}

TEST(ClassShares, NoMoreClassesAreToldThanATableHas) {
  ClassShares shares(kNow);
  std::vector<std::pair<ClassId, Tickets>> tickets;
  std::vector<std::pair<ClassId, std::uint64_t>> need = {{99, 1000}};
  for (ClassId class_id = 1; class_id <= books::Classes::kClassesMax; ++class_id) {
    tickets.emplace_back(class_id, 10);
    need.emplace_back(class_id, 1000);
  }
  shares.set_tickets(kNow, tickets);
  const auto uses = uses_after(shares, 1s, need);
  ASSERT_EQ(uses.size(), books::Classes::kClassesMax);
  for (const books::Use& use : uses) EXPECT_LE(use.class_id, books::Classes::kClassesMax);
}

TEST(ClassShares, StandingIsALookAheadThatChangesNothing) {
  ClassShares shares(kNow);
  shares.set_tickets(kNow, {{1, 10}, {2, 10}});
  shares.contend(kNow, std::vector<ClassId>{1});
  shares.hold(kNow, 1, kHalf);
  const Stride later = shares.standing(kNow + 10s, std::vector<ClassId>{1, 2});
  EXPECT_GT(later.pass(1), shares.stride().pass(1));
  EXPECT_LE(later.pass(2), later.pass(1)) << "it has used nothing, so it is due";
}

TEST(ClassShares, AServedClassSetsVirtualTime) {
  ClassShares shares(kNow);
  shares.set_tickets(kNow, {{1, 10}, {2, 10}});
  shares.contend(kNow, std::vector<ClassId>{1, 2});
  shares.hold(kNow, 1, kHalf);
  shares.contend(kNow + 10s, std::vector<ClassId>{1, 2});
  EXPECT_GT(shares.stride().lead(1), 0);
  shares.serve(1);
  EXPECT_EQ(shares.stride().lead(1), 0);
}

}  // namespace
}  // namespace dunlin::sched
