// SPDX-License-Identifier: MIT
#include "sched/plan/plan.h"

#include <gtest/gtest.h>
#include <map>

#include "overlay/rng.h"
#include "tests/unit/sched/plan/plan_world.h"

namespace dunlin::sched {
namespace {

using namespace plan_world;

constexpr PlanPolicyName kPolicies[] = {PlanPolicyName::priority, PlanPolicyName::proportion,
    PlanPolicyName::workload, PlanPolicyName::deadline, PlanPolicyName::edf,
    PlanPolicyName::assured};

TEST(Plan, OfNothingIsEmpty) {
  for (const PlanPolicyName policy : kPolicies) {
    const PlanParams params{.policy = policy};
    EXPECT_TRUE(plan_slots(params, {}, {}).jobs.empty());
    EXPECT_TRUE(plan_slots(params, workers({4}), {}).allotments.empty());
    const std::vector<PlanJob> jobs = {job(1, 50, 3)};
    EXPECT_EQ(slots_of(plan_slots(params, {}, jobs)), Numbers{0});
  }
}

TEST(Plan, SpareSlotsGoByPriorityOrByDeadline) {
  const std::vector<PlanJob> jobs = {
      due(job(1, 90, 20), seconds(20)), due(job(2, 10, 20), seconds(10))};
  PlanParams params{.policy = PlanPolicyName::deadline, .spare = SpareRule::priority};
  SlotPlan plan = plan_slots(params, workers({10}), jobs);
  EXPECT_EQ(needs_of(plan), (Numbers{1, 2}));
  EXPECT_EQ(slots_of(plan), (Numbers{8, 2}));
  params.spare = SpareRule::deadline;
  plan = plan_slots(params, workers({10}), jobs);
  EXPECT_EQ(slots_of(plan), (Numbers{1, 9}));
}

TEST(Plan, TellsTheSlackOfEachJob) {
  const std::vector<PlanJob> jobs = {due(job(1, 50, 20), seconds(9)), job(2, 50, 4)};
  const SlotPlan plan = plan_slots({.policy = PlanPolicyName::edf}, workers({4}), jobs);
  EXPECT_EQ(plan.jobs[0].slack, seconds(4)) << "20 tasks of 1 s in 4 slots take 5 s";
  EXPECT_EQ(plan.jobs[1].slack, std::nullopt);
}

TEST(Plan, ATaskTimeThatIsNotKnownIsTheMeanOfTheOthers) {
  const std::vector<PlanJob> jobs = {
      lasting(job(1, 50, 10), seconds(4)), lasting(job(2, 50, 10), Duration{0})};
  EXPECT_EQ(slots_of(plan_slots({.policy = PlanPolicyName::proportion}, workers({8}), jobs)),
      (Numbers{4, 4}));
}

/// One more than `held` moved only where the numbers leave no choice.
TEST(Plan, MovesAsFewSlotsAsItCan) {
  overlay::Rng rng(11);
  for (int seed = 0; seed < 500; ++seed) {
    std::vector<PlanWorker> nodes;
    const std::size_t node_count = 1 + rng.index(6);
    for (std::size_t i = 0; i < node_count; ++i) {
      nodes.push_back({.node = PeerId{i + 1},
          .slots = static_cast<std::uint32_t>(rng.below(5)),
          .speed = rng.below(2) == 0 ? 1.0 : 2.0});
    }
    std::vector<PlanJob> jobs;
    const std::size_t job_count = 1 + rng.index(5);
    for (std::uint32_t i = 0; i < job_count; ++i) {
      PlanJob each =
          job(i + 1, static_cast<int>(rng.below(100)), static_cast<std::uint32_t>(rng.below(12)));
      if (rng.below(2) == 0) each.time_left = seconds(static_cast<int>(rng.below(30)) - 5);
      jobs.push_back(each);
    }
    const PlanParams before{.policy = kPolicies[rng.index(6)]};
    const PlanParams after{.policy = kPolicies[rng.index(6)]};
    const auto held = plan_slots(before, nodes, jobs).allotments;
    const SlotPlan plan = plan_slots(after, nodes, jobs, held);

    std::map<PeerId, std::uint32_t> used;
    std::map<JobId, std::uint32_t> given;
    for (const Allotment& each : plan.allotments) {
      used[each.node] += each.slots;
      given[each.job] += each.slots;
    }
    for (const PlanWorker& node : nodes) ASSERT_LE(used[node.node], node.slots);
    std::uint32_t capacity = 0;
    std::uint32_t wanted = 0;
    for (const PlanWorker& node : nodes) capacity += node.slots;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      ASSERT_EQ(given[jobs[i].job], plan.jobs[i].slots);
      ASSERT_LE(plan.jobs[i].slots, jobs[i].tasks_left);
      ASSERT_LE(plan.jobs[i].need, plan.jobs[i].slots);
      wanted += jobs[i].tasks_left;
    }
    ASSERT_EQ(sum(slots_of(plan)), std::min(capacity, wanted)) << "no slot is idle for nothing";

    // By speed and job, all that both plans give stays where it is.
    std::map<std::pair<JobId, double>, std::pair<std::uint32_t, std::uint32_t>> numbers;
    const auto speed_of = [&](PeerId node) { return nodes[node.value - 1].speed; };
    std::uint32_t held_sum = 0;
    for (const Allotment& each : held) {
      numbers[{each.job, speed_of(each.node)}].first += each.slots;
      held_sum += each.slots;
    }
    for (const Allotment& each : plan.allotments) {
      numbers[{each.job, speed_of(each.node)}].second += each.slots;
    }
    std::uint32_t kept = 0;
    for (const auto& [key, both] : numbers) kept += std::min(both.first, both.second);
    ASSERT_EQ(plan.moved, held_sum - kept) << "seed " << seed;
  }
}

/// A slot that moves has a task to finish first, so a little speed is not worth it.
TEST(Plan, AJobStaysWhereItIsUnlessMovingPays) {
  std::vector<PlanWorker> nodes = workers({4, 4});
  const std::vector<PlanJob> jobs = {job(1, 50, 4)};
  const std::vector<Allotment> held = {{PeerId{1}, job_id(1), 4}};
  const PlanParams params{.policy = PlanPolicyName::edf};
  nodes[1].speed = 1.2;
  EXPECT_EQ(plan_slots(params, nodes, jobs, held).allotments, held);
  nodes[1].speed = 1.5;
  const SlotPlan moved = plan_slots(params, nodes, jobs, held);
  EXPECT_EQ(moved.moved, 4u);
  EXPECT_EQ(moved.allotments[0].node, PeerId{2});
}

TEST(Plan, AJobKeepsSlowerSlotsWhileAFewMoreOfThemWillDo) {
  std::vector<PlanWorker> nodes = workers({10, 10});
  const std::vector<PlanJob> jobs = {due(job(1, 50, 280), seconds(40))};  // 7 tasks a second.
  const std::vector<Allotment> held = {{PeerId{1}, job_id(1), 7}};
  const PlanParams params{.policy = PlanPolicyName::deadline};
  const auto need = [&](std::span<const Allotment> of) {
    return plan_slots(params, nodes, jobs, of).jobs[0].need;
  };
  nodes[1].speed = 1.2;
  EXPECT_EQ(need({}), 6u);
  EXPECT_EQ(need(held), 7u);
  nodes[1].speed = 2;
  EXPECT_EQ(need({}), 4u);
  EXPECT_EQ(need(held), 4u) << "twice as many are too many";
}

/// Speeds that are learnt differ a little, always.
TEST(Plan, ATaskLessForEachJobMovesASlotOfEachAtMost) {
  overlay::Rng rng(5);
  std::vector<PlanWorker> nodes;
  for (std::uint64_t i = 1; i <= 100; ++i) {
    nodes.push_back(
        {.node = PeerId{i}, .slots = 4, .speed = 0.9 + static_cast<double>(rng.below(100)) / 500});
  }
  std::vector<PlanJob> jobs;
  for (std::uint32_t i = 1; i <= 60; ++i) {
    jobs.push_back(
        due(job(i, static_cast<int>(rng.below(100)), static_cast<std::uint32_t>(5 + rng.below(20))),
            seconds(static_cast<int>(1 + rng.below(300)))));
  }
  for (const PlanPolicyName policy : kPolicies) {
    const PlanParams params{.policy = policy};
    const auto held = plan_slots(params, nodes, jobs).allotments;
    auto later = jobs;
    for (PlanJob& each : later) --each.tasks_left;
    EXPECT_LE(plan_slots(params, nodes, later, held).moved, jobs.size())
        << static_cast<int>(policy);
  }
}

TEST(Plan, ForgetsWhatIsGone) {
  const std::vector<Allotment> held = {
      {PeerId{1}, job_id(1), 2}, {PeerId{7}, job_id(1), 2}, {PeerId{1}, job_id(9), 2}};
  const std::vector<PlanJob> jobs = {job(1, 50, 4)};
  const SlotPlan plan = plan_slots({.policy = PlanPolicyName::edf}, workers({4}), jobs, held);
  EXPECT_EQ(plan.moved, 0u);
  EXPECT_EQ(plan.allotments, (std::vector<Allotment>{{PeerId{1}, job_id(1), 4}}));
}

}  // namespace
}  // namespace dunlin::sched
