// SPDX-License-Identifier: MIT
#include <cstdint>
#include <gtest/gtest.h>
#include <map>

#include "tests/unit/sched/plan/planned_cell.h"

// What members are told of slots that others hold.
namespace dunlin::sched {
namespace {

using namespace plan_world;
using Cell = PlannedCell;

/// A job of priority 50 with 20 tasks left, whose tasks hold so many slots.
cell::Claim holding(std::uint32_t job, std::uint32_t held) {
  auto claim = Cell::claim(job, 50, 20);
  claim.held = held;
  return claim;
}

// Job 2 gets one slot, while tasks of job 1 still hold all of them.
TEST(PlannerHandOut, OffersAJobWhoseSlotsOthersHoldTheNextThatFallsFree) {
  TwoNodes cell;
  cell.say(1, 4, {holding(1, 8)});
  cell.say(2, 4, {Cell::claim(2, 90, 2)});
  (void)cell.plan_after_gap();
  std::map<std::uint64_t, std::map<std::uint32_t, std::uint32_t>> totals;
  for (const std::uint64_t node : {1u, 2u}) {
    const auto told = cell.planner.allotments({node});
    for (const auto& each : told->allotted) {
      totals[node][each.job.number] = each.total;
    }
  }
  const std::map<std::uint32_t, std::uint32_t> both = {
      {job_id(1).number, 7}, {job_id(2).number, 1}};
  EXPECT_EQ(totals[1], both) << "a slot of one node is its, and it may have the next of the other";
  EXPECT_EQ(totals[2], both);

  auto has_its_slots = Cell::claim(2, 91, 2);
  has_its_slots.held = 1;
  cell.say(1, 4, {holding(1, 7)});
  cell.say(2, 4, {has_its_slots});
  (void)cell.plan_after_gap();
  for (const std::uint64_t node : {1u, 2u}) {
    const auto told = cell.planner.allotments({node});
    for (const auto& each : told->allotted) {
      EXPECT_GT(each.slots, 0u);
      EXPECT_EQ(each.total, 0u);
    }
  }
}

// Node 1 has its tasks yield, node 2 does not.
TEST(PlannerHandOut, TellsNodesWhoseTasksYieldWhichJobsHoldTooMany) {
  TwoNodes cell;
  cell.say_that_preempts(1, 4, {holding(1, 8)});
  cell.say(2, 4, {Cell::claim(2, 90, 2)});
  (void)cell.plan_after_gap();
  const auto over = [&](std::uint64_t node, std::uint32_t job) {
    std::uint32_t sum = 0;
    const auto told = cell.planner.allotments({node});
    for (const auto& each : told->allotted) sum += each.job == job_id(job) ? each.over : 0;
    return sum;
  };
  EXPECT_EQ(over(1, 1), 1u) << "it holds eight, and has seven";
  EXPECT_EQ(over(1, 2), 0u);
  EXPECT_EQ(over(2, 1), 0u) << "no task is stopped there";
}

// Job 1 has no slot any more: there is nothing to offer it, but its tasks are in the way.
TEST(PlannerHandOut, AJobThatLostAllItsSlotsYieldsThem) {
  TwoNodes cell({.policy = PlanPolicyName::edf});
  auto first = Cell::claim(2, 50, 20);
  first.deadline = 1s;
  cell.say_that_preempts(1, 4, {holding(1, 4), first});
  (void)cell.plan_after_gap();
  const auto told = cell.planner.allotments({1});
  ASSERT_EQ(told->allotted.size(), 2u);
  EXPECT_EQ(told->allotted[0].job, job_id(2));
  EXPECT_EQ(told->allotted[0].slots, 4u);
  EXPECT_EQ(told->allotted[1].job, job_id(1));
  EXPECT_EQ(told->allotted[1].slots, 0u);
  EXPECT_EQ(told->allotted[1].over, 4u);
}

}  // namespace
}  // namespace dunlin::sched
