// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "tests/unit/sched/plan/plan_world.h"

// One test per claim of Lin 2014 (the NTU thesis) on its decision maker.
namespace dunlin::sched {
namespace {

using namespace plan_world;

std::map<PeerId, JobId> jobs_of(const SlotPlan& plan) {
  std::map<PeerId, JobId> jobs;
  for (const Allotment& each : plan.allotments) jobs[each.node] = each.job;
  return jobs;
}

/// Section 3.3, figure 3.2: ten workers of one slot, five for each of two jobs. A third of higher
/// priority comes, and the new numbers are 3, 3 and 4: two workers of each job move to it, and
/// nothing else changes.
TEST(NtuPlan, Figure32MovesTwoWorkersOfEachJob) {
  const auto nodes = workers(Numbers(10, 1));
  const PlanParams params{.policy = PlanPolicyName::proportion};
  const std::vector<PlanJob> two = {job(1, 10, 30), job(2, 10, 30)};
  const SlotPlan before = plan_slots(params, nodes, two);
  ASSERT_EQ(slots_of(before), (Numbers{5, 5}));
  const std::vector<PlanJob> three = {job(1, 10, 30), job(2, 10, 30), job(3, 90, 40)};
  const SlotPlan after = plan_slots(params, nodes, three, before.allotments);
  ASSERT_EQ(slots_of(after), (Numbers{3, 3, 4}));
  EXPECT_EQ(after.moved, 4u);
  const auto old_jobs = jobs_of(before);
  std::multiset<std::uint32_t> moved;
  for (const auto& [node, job] : jobs_of(after)) {
    if (job != old_jobs.at(node)) {
      EXPECT_EQ(job, job_id(3));
      moved.insert(old_jobs.at(node).number);
    }
  }
  EXPECT_EQ(moved, (std::multiset<std::uint32_t>{1, 1, 2, 2}));
}

/// Section 5.1: the job of highest priority uses at most 1 - r of all workers; each other job
/// receives one of the rest.
TEST(NtuPlan, Algorithm1ReservesForLowPriorities) {
  const PlanParams params{.policy = PlanPolicyName::priority, .reserve = 0.3};
  const std::vector<PlanJob> jobs = {job(1, 90, 99), job(2, 50, 99), job(3, 10, 99)};
  EXPECT_EQ(needs_of(plan_slots(params, workers(Numbers(10, 1)), jobs)), (Numbers{7, 1, 1}));
}

/// Section 5.2: the number of workers of a job is the number of all workers times its part of all
/// work.
TEST(NtuPlan, Algorithm2IsInProportionToWork) {
  const PlanParams params{.policy = PlanPolicyName::proportion};
  const std::vector<PlanJob> jobs = {
      job(1, 90, 20), lasting(job(2, 50, 20), seconds(3)), lasting(job(3, 10, 10), seconds(2))};
  EXPECT_EQ(needs_of(plan_slots(params, workers(Numbers(10, 1)), jobs)), (Numbers{2, 6, 2}));
}

/// Section 5.3: by priority, the best workers that satisfy the workload, and no more of them than
/// there are tasks.
TEST(NtuPlan, Algorithm3TakesTheBestWorkersThatDoTheWork) {
  auto nodes = workers({2, 2, 2});
  nodes[1].speed = 4;
  nodes[2].speed = 2;
  const PlanParams params{.policy = PlanPolicyName::workload, .horizon = seconds(10)};
  const std::vector<PlanJob> jobs = {job(1, 10, 20), job(2, 90, 100)};
  const SlotPlan plan = plan_slots(params, nodes, jobs);
  // Job 2 needs 10 a second: 4 + 4 + 2. Job 1 needs 2 a second: 2.
  EXPECT_EQ(needs_of(plan), (Numbers{1, 3}));
}

/// Section 5.4: if the deadline is twice as tight, it takes twice as many workers.
TEST(NtuPlan, Algorithm4IsReciprocalToTheDeadline) {
  const PlanParams params{.policy = PlanPolicyName::deadline};
  for (const int left : {40, 20, 10, 5}) {
    const std::vector<PlanJob> jobs = {due(job(1, 50, 40), seconds(left))};
    const SlotPlan plan = plan_slots(params, workers(Numbers(40, 1)), jobs);
    EXPECT_EQ(plan.jobs[0].need, static_cast<std::uint32_t>(40 / left));
  }
}

/// Section 5.4: where no feasible plan exists, the deadlines of higher priorities are met.
TEST(NtuPlan, Algorithm4PrefersHighPriorities) {
  const PlanParams params{.policy = PlanPolicyName::deadline, .spare = SpareRule::priority};
  const std::vector<PlanJob> jobs = {
      due(job(1, 10, 40), seconds(5)), due(job(2, 90, 40), seconds(5))};
  EXPECT_EQ(slots_of(plan_slots(params, workers(Numbers(10, 1)), jobs)), (Numbers{2, 8}));
}

/// Section 5.5: spare workers are allocated until they are used up or every job has enough.
TEST(NtuPlan, SpareWorkersAreUsedUp) {
  const std::vector<PlanJob> jobs = {due(job(1, 10, 4), seconds(99)),
      due(job(2, 90, 4), seconds(50)), due(job(3, 50, 9), seconds(70))};
  for (const SpareRule spare : {SpareRule::priority, SpareRule::deadline}) {
    const PlanParams params{.policy = PlanPolicyName::deadline, .spare = spare};
    EXPECT_EQ(sum(slots_of(plan_slots(params, workers(Numbers(12, 1)), jobs))), 12u);
    EXPECT_EQ(sum(slots_of(plan_slots(params, workers(Numbers(40, 1)), jobs))), 17u);
  }
}

/// Section 4.4: when workers fail, the job that is late as a result gets more of those that are
/// left.
TEST(NtuPlan, AFailureShiftsWorkersToTheJobThatIsDelayed) {
  const PlanParams params{.policy = PlanPolicyName::deadline};
  const auto share = [&](std::uint32_t tasks, int left) {
    const std::vector<PlanJob> jobs = {due(job(1, 50, tasks), seconds(left))};
    return plan_slots(params, workers(Numbers(8, 1)), jobs).jobs[0].need;
  };
  EXPECT_EQ(share(120, 60), 2u) << "on course";
  EXPECT_EQ(share(110, 20), 6u) << "40 s later, of which it lost 30";
}

}  // namespace
}  // namespace dunlin::sched
