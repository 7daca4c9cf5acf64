// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "tests/unit/sched/plan/planned_cell.h"

// Nodes of other cells that claim here, and what frontends hear that makes them do so.
namespace dunlin::sched::plan_world {
namespace {

TEST(Planner, TellsFrontendsWhichJobsLackSlots) {
  TwoNodes cell;
  EXPECT_EQ(cell.lacks(1, 1), 8u) << "20 tasks, 8 slots";
  EXPECT_EQ(cell.lacks(2, 1), std::nullopt) << "another frontend's";
  EXPECT_EQ(cell.planner.spare(), 0u);
  cell.say(1, 4, {PlannedCell::claim(1, 50, 3)});
  // What lacks nothing any more is told, too.
  EXPECT_EQ(cell.plan_after_gap(), (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(cell.lacks(1, 1), std::nullopt);
  EXPECT_EQ(cell.planner.spare(), 5u);
  EXPECT_EQ(cell.planner.given(), (std::map<JobId, std::uint32_t>{{job_id(1), 3}}));
}

TEST(Planner, AGuestClaimsSlotsAndHasNone) {
  TwoNodes cell;
  cell.say(1, 4, {PlannedCell::claim(1, 50, 3)});
  cell.plan_after_gap();
  cell.ask(7, {PlannedCell::claim(2, 50, 9)});
  EXPECT_EQ(cell.plan_after_gap(), (std::vector<std::uint64_t>{1, 2, 7}));
  EXPECT_EQ(cell.planner.members(), 2u);
  EXPECT_EQ(cell.planner.guests(), 1u);
  EXPECT_EQ(cell.planner.plans().back().slots, 8u) << "its own are another cell's";
  EXPECT_EQ(cell.slots(1, 2) + cell.slots(2, 2), 5u);
  EXPECT_EQ(cell.lacks(7, 2), 5u);
  const auto told = cell.planner.allotments({1});
  ASSERT_TRUE(told);
  const auto of_guest = std::ranges::find(told->allotted, job_id(2), &cell::Allotted::job);
  ASSERT_NE(of_guest, told->allotted.end());
  EXPECT_EQ(of_guest->frontend, PeerId{7});
  cell.forget(7);
  EXPECT_EQ(cell.planner.guests(), 1u) << "it is in no books";
  // It lapses as members do.
  cell.now += 5s;
  cell.say(1, 4, {PlannedCell::claim(1, 50, 3)});
  cell.say(2, 4);
  cell.now += 6s;
  cell.planner.wake(cell.now);
  EXPECT_EQ(cell.planner.guests(), 0u);
  EXPECT_EQ(cell.planner.members(), 2u);
  EXPECT_EQ(cell.planner.jobs(), 1u);
  EXPECT_EQ(cell.planner.broken_invariant(), std::nullopt);
}

TEST(Planner, AGuestIsNotWaitedForAndMayBecomeAMember) {
  PlannedCell cell;
  cell.ask(7, {PlannedCell::claim(2, 50, 9)});
  cell.planner.hear_all(1);
  EXPECT_GT(cell.planner.deadline(), cell.now) << "the one member was not heard";
  cell.say(7, 4, {PlannedCell::claim(2, 50, 9)});
  cell.planner.hear_all(1);
  EXPECT_EQ(cell.planner.guests(), 0u);
  cell.plan_after_gap();
  EXPECT_EQ(cell.slots(7, 2), 4u);
}

}  // namespace
}  // namespace dunlin::sched::plan_world
