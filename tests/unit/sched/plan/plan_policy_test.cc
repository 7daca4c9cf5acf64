// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "sched/plan/policy/policy.h"
#include "tests/unit/sched/plan/plan_world.h"

// Each policy alone: `need` is what it gives before the spare rule.
namespace dunlin::sched {
namespace {

using namespace plan_world;

Numbers needs(PlanParams params, const Numbers& slots, const std::vector<PlanJob>& jobs) {
  return needs_of(plan_slots(params, workers(slots), jobs));
}
Numbers needs(PlanPolicyName policy, const Numbers& slots, const std::vector<PlanJob>& jobs) {
  return needs(PlanParams{.policy = policy}, slots, jobs);
}

TEST(PlanPolicy, PriorityKeepsAReserveOfWhichEachGetsOne) {
  const std::vector<PlanJob> jobs = {job(1, 10, 50), job(2, 90, 50), job(3, 20, 50)};
  PlanParams params{.policy = PlanPolicyName::priority, .reserve = 0.25};
  EXPECT_EQ(needs(params, {10}, jobs), (Numbers{1, 7, 1}));
  params.reserve = 0;
  EXPECT_EQ(needs(params, {10}, jobs), (Numbers{0, 10, 0}));
  params.reserve = 1;
  EXPECT_EQ(needs(params, {10}, jobs), (Numbers{1, 0, 1}));
  params.reserve = 0.1;
  EXPECT_EQ(needs(params, {10}, {job(1, 10, 50), job(2, 90, 3)}), (Numbers{1, 3}))
      << "no more slots than tasks";
}

TEST(PlanPolicy, ProportionGoesByWorkLeft) {
  const std::vector<PlanJob> jobs = {
      job(1, 0, 10), lasting(job(2, 0, 10), seconds(2)), job(3, 0, 10)};
  EXPECT_EQ(needs(PlanPolicyName::proportion, {8}, jobs), (Numbers{2, 4, 2}));
  EXPECT_EQ(
      needs(PlanPolicyName::proportion, {8}, {job(1, 0, 1), job(2, 0, 300)}), (Numbers{0, 8}));
  EXPECT_EQ(
      needs(PlanPolicyName::proportion, {8}, {lasting(job(1, 0, 2), seconds(99)), job(2, 0, 9)}),
      (Numbers{2, 6}))
      << "what one job cannot use goes to the other";
}

TEST(PlanPolicy, WorkloadDoesWhatIsLeftInTime) {
  const PlanParams params{.policy = PlanPolicyName::workload, .horizon = seconds(10)};
  const std::vector<PlanJob> jobs = {job(1, 10, 30), job(2, 90, 45)};
  EXPECT_EQ(needs(params, {100}, jobs), (Numbers{3, 5}));
  EXPECT_EQ(needs(params, {6}, jobs), (Numbers{1, 5})) << "priority first";
}

TEST(PlanPolicy, DeadlineTakesTheFewestSlotsThatMeetIt) {
  const std::vector<PlanJob> jobs = {due(job(1, 50, 20), seconds(5)), job(2, 50, 20),
      due(job(3, 50, 20), seconds(-3)), due(job(4, 40, 3), std::chrono::milliseconds(1))};
  EXPECT_EQ(needs(PlanPolicyName::deadline, {100}, jobs), (Numbers{4, 0, 1, 3}));
  EXPECT_EQ(needs(PlanPolicyName::deadline, {5}, jobs), (Numbers{4, 0, 1, 0}));
}

TEST(PlanPolicy, DeadlineCountsFastSlotsForMore) {
  std::vector<PlanWorker> nodes = workers({4, 4});
  nodes[1].speed = 2;
  const std::vector<PlanJob> jobs = {due(job(1, 50, 30), seconds(5))};
  const SlotPlan plan =
      plan_slots({.policy = PlanPolicyName::deadline, .spare = SpareRule::deadline}, nodes, jobs);
  // 6 tasks a second: two from each of three fast slots.
  EXPECT_EQ(plan.jobs[0].need, 3u);
}

TEST(PlanPolicy, DeadlineCountsTasksThatEndInTimeOnly) {
  const PlanParams params{.policy = PlanPolicyName::deadline};
  const auto need = [&](std::uint32_t tasks, int left) {
    const std::vector<PlanJob> jobs = {due(job(1, 50, tasks), std::chrono::milliseconds(left))};
    return plan_slots(params, workers(Numbers(20, 1)), jobs).jobs[0].need;
  };
  EXPECT_EQ(need(9, 2600), 5u) << "four slots would end eight of them, and one late";
  EXPECT_EQ(need(8, 2600), 4u);
  EXPECT_EQ(need(9, 3000), 3u);
  EXPECT_EQ(need(9, 2999), 5u);
  EXPECT_EQ(need(3, 500), 3u) << "all are late: as many slots as it can use";
}

TEST(PlanPolicy, DeadlineCountsWholeTasksBySpeed) {
  // In 2.6 s one of speed 2 ends five tasks, one of speed 1 two.
  auto nodes = workers({1, 1, 1, 1});
  nodes[3].speed = 2;
  const PlanParams params{.policy = PlanPolicyName::deadline};
  const auto need = [&](std::uint32_t tasks) {
    const std::vector<PlanJob> jobs = {due(job(1, 50, tasks), std::chrono::milliseconds(2600))};
    return plan_slots(params, nodes, jobs).jobs[0].need;
  };
  EXPECT_EQ(need(5), 1u);
  EXPECT_EQ(need(7), 2u);
  EXPECT_EQ(need(8), 3u);
}

TEST(PlanPolicy, DeadlineCountsTheTasksThatRunFromTheirStarts) {
  const PlanParams params{.policy = PlanPolicyName::deadline};
  std::vector<PlanJob> jobs = {due(lasting(job(1, 50, 8), seconds(10)), seconds(15))};
  jobs[0].running = 4;
  EXPECT_EQ(needs_of(plan_slots(params, workers({10}), jobs)), Numbers{8}) << "one in each";
  jobs[0].ran = seconds(5);
  EXPECT_EQ(needs_of(plan_slots(params, workers({10}), jobs)), Numbers{4}) << "two in each";
  jobs[0].running = 3;
  EXPECT_EQ(needs_of(plan_slots(params, workers({10}), jobs)), Numbers{5}) << "2 + 2 + 2, 1 + 1";
}

TEST(PlanPolicy, EdfServesTheEarliestDeadlineInFull) {
  const std::vector<PlanJob> jobs = {
      job(1, 90, 5), due(job(2, 0, 5), seconds(9)), due(job(3, 0, 5), seconds(3))};
  EXPECT_EQ(needs(PlanPolicyName::edf, {8}, jobs), (Numbers{0, 3, 5}));
  EXPECT_EQ(needs(PlanPolicyName::edf, {12}, jobs), (Numbers{2, 5, 5}));
}

TEST(PlanPolicy, AssuredPassesNoJobOver) {
  const std::vector<PlanJob> jobs = {
      due(job(1, 10, 50), seconds(1)), job(2, 90, 50), due(job(3, 50, 50), seconds(2))};
  EXPECT_EQ(needs(PlanPolicyName::assured, {2}, jobs), (Numbers{0, 1, 1}));
  EXPECT_EQ(needs(PlanPolicyName::assured, {10}, jobs), (Numbers{8, 1, 1}))
      << "a slot each, the rest to the earliest deadline, which is the lowest priority's";
}

TEST(PlanPolicy, AssuredGivesWhatDeadlinesNeedBeforeWhatEndsJobsSooner) {
  // Eight tasks of 20 ms meet their deadline with one slot; nine of a second need five slots.
  const std::vector<PlanJob> jobs = {
      due(lasting(job(1, 90, 8), std::chrono::milliseconds(20)), seconds(2)),
      due(job(2, 10, 9), std::chrono::milliseconds(2600)), job(3, 50, 9)};
  EXPECT_EQ(needs(PlanPolicyName::assured, {7}, jobs), (Numbers{1, 5, 1}));
  EXPECT_EQ(needs(PlanPolicyName::assured, {10}, jobs), (Numbers{4, 5, 1}))
      << "what is left ends the job of the earliest deadline sooner";
}

TEST(PlanPolicy, AssuredLetsAJobWithTimeToSpareWait) {
  const std::vector<PlanJob> jobs = {
      due(job(1, 60, 20), seconds(10'000)), due(job(2, 50, 20), seconds(4))};
  EXPECT_EQ(needs(PlanPolicyName::assured, {10}, jobs), (Numbers{1, 9}));
}

}  // namespace
}  // namespace dunlin::sched
