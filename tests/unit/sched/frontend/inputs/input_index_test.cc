// SPDX-License-Identifier: MIT
#include "sched/frontend/inputs/input_index.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <set>

#include "sched/frontend/bound_tasks.h"
#include "sched/frontend/job_check.h"
#include "sched/frontend/job_state.h"
#include "sched/inputs/input_rates.h"
#include "sched/inputs/input_text.h"
#include "tests/support/builders.h"
#include "tests/support/solo.h"

namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::InputIndex;
using sched::JobState;
using sched::PeerId;
using sched::TaskGroup;

/// Tasks with such inputs; node "i" has the id i, and "x" is not known.
TaskGroup group_at(std::uint32_t count, const std::vector<std::string>& nodes) {
  TaskGroup group = tasks(count);
  sched::InputsBuilder builder;
  for (const std::string& each : nodes) EXPECT_TRUE(builder.add("1M@" + each));
  group.inputs = builder.take();
  for (sched::InputNode& node : group.inputs.nodes) {
    if (node.name != "x") node.id = {std::stoull(node.name)};
  }
  settle_input_rates(group);
  return group;
}

class JobWithInputs : public Solo {
 protected:
  JobState state(std::uint32_t count, const std::vector<std::string>& nodes) const {
    sched::Job job = job_of(group_at(count, nodes));
    job.id = {.home = {99}, .number = 1};
    return {std::move(job), now};
  }
  /// True if a worker gets a task. It gives that back at once: after it borrowed in vain, or by the
  /// number of its question, which it does not take at all.
  bool elsewhere(JobState& job, std::uint64_t worker, std::uint32_t request = 0) {
    const auto task = job.bind(0, node(worker), 1, now, {});
    if (!task) return false;
    sched::Turn now_turn = turn();
    sched::take_back(
        now_turn, job, node(worker), {.job = job.id(), .request = request, .tasks = {*task}});
    EXPECT_FALSE(job.bindings().contains(task->index));
    return true;
  }
  std::vector<std::uint32_t> bound(
      JobState& job, std::uint64_t worker, int count, bool here = false) {
    std::vector<std::uint32_t> indices;
    for (int i = 0; i < count; ++i) {
      const auto task = job.bind(0, node(worker), 1, now, {}, here);
      if (!task) break;
      indices.push_back(task->index);
    }
    EXPECT_FALSE(sched::broken_invariant(job));
    return indices;
  }
};

using Indices = std::vector<std::uint32_t>;

TEST(InputIndexTest, KnowsWhatIsWhere) {
  const TaskGroup group = group_at(4, {"1,2", "2", "x,1", "x"});
  const InputIndex index(group, true);
  EXPECT_TRUE(index.any());
  EXPECT_TRUE(index.is_at(0, PeerId{1}));
  EXPECT_FALSE(index.is_at(1, PeerId{1}));
  EXPECT_EQ(index.left(PeerId{1}), 2u);
  EXPECT_EQ(index.left(PeerId{2}), 2u);
  EXPECT_EQ(index.left(PeerId{3}), 0u);
  EXPECT_TRUE(index.sources(3).empty()) << "the only node is not known";
  EXPECT_EQ(index.sources(2).size(), 1u);
  EXPECT_EQ(InputIndex(group, false).left(PeerId{1}), 0u);
}

TEST(InputIndexTest, AnotherSourceComesFirstForEachTask) {
  const InputIndex index(group_at(100, {"1,2,3"}), true);
  std::set<std::uint64_t> first;
  for (std::uint32_t task = 0; task < 3; ++task) first.insert(index.sources(task).front().id.value);
  EXPECT_EQ(first.size(), 3u);
}

TEST_F(JobWithInputs, AWorkerGetsTheTasksWhoseInputItHasFirst) {
  JobState job = state(6, {"1", "2", "1", "2", "3", "1"});
  EXPECT_EQ(bound(job, 2, 2), (Indices{1, 3}));
  EXPECT_EQ(bound(job, 1, 4), (Indices{0, 2, 5, 4})) << "then others";
  EXPECT_EQ(bound(job, 1, 1), Indices{});
}

TEST_F(JobWithInputs, OneThatAsksForThoseAloneGetsNoOthers) {
  JobState job = state(4, {"1", "2", "1", "2"});
  EXPECT_EQ(bound(job, 1, 4, true), (Indices{0, 2}));
  EXPECT_EQ(bound(job, 3, 4, true), Indices{});
  EXPECT_EQ(job.offered(0), 2u);
}

TEST_F(JobWithInputs, ATaskThatComesBackIsFoundAgain) {
  JobState job = state(4, {"1", "2", "1", "2"});
  ASSERT_EQ(bound(job, 1, 1), Indices{0});
  EXPECT_EQ(job.groups()[0].inputs.left(PeerId{1}), 1u);
  (void)job.lose(0, now);
  EXPECT_EQ(job.groups()[0].inputs.left(PeerId{1}), 2u);
  EXPECT_EQ(bound(job, 1, 2, true), (Indices{0, 2}));
  (void)job.lose(2, now);
  EXPECT_EQ(bound(job, 3, 3), (Indices{2, 1, 3}));
}

TEST_F(JobWithInputs, OneInputMayBeThatOfAllTasks) {
  JobState job = state(5, {"1,2"});
  EXPECT_EQ(job.groups()[0].inputs.left(PeerId{2}), 5u);
  EXPECT_EQ(bound(job, 3, 2), (Indices{0, 1}));
  EXPECT_EQ(bound(job, 2, 5, true), (Indices{2, 3, 4}));
  EXPECT_EQ(job.groups()[0].inputs.left(PeerId{1}), 0u);
}

// Whatever becomes of tasks, none is lost or given twice, and counts follow.
TEST_F(JobWithInputs, EachTaskIsGivenWhateverBecomesOfOthers) {
  overlay::Rng chance{7};
  for (int round = 0; round < 50; ++round) {
    std::vector<std::string> nodes;
    const std::uint32_t count = 1 + chance.below(30);
    for (std::uint32_t i = 0; i < count; ++i) {
      nodes.push_back(chance.below(8) == 0 ? "x" : std::to_string(1 + chance.below(4)));
      if (chance.below(2) == 0 && nodes.back() != "x") nodes.back() += ",9";
    }
    JobState job = state(count, nodes);
    std::set<std::uint32_t> running;
    std::uint32_t ended = 0;
    for (int step = 0; step < 2000 && ended < count; ++step) {
      if (chance.below(3) > 0) {
        const bool here = chance.below(2) == 0;
        for (const std::uint32_t i : bound(job, 1 + chance.below(5), 1, here)) {
          EXPECT_TRUE(running.insert(i).second);
        }
      } else if (!running.empty()) {
        const std::uint32_t i = *running.begin();
        const sched::Binding binding = job.bindings().at(i);
        running.erase(i);
        if (chance.below(2) == 0) {
          (void)job.refuse({i, binding.attempt}, binding.worker.id, now, chance.below(2) == 0);
        } else {
          ASSERT_TRUE(
              job.end({.index = i, .attempt = binding.attempt}, binding.worker.id, now, 1000));
          ++ended;
        }
      }
      for (const auto& each : job.groups()[0].inputs.nodes()) {
        EXPECT_LE(each.stuck, each.left);
        std::uint32_t waits = 0;
        for (std::uint32_t i = 0; i < count; ++i) {
          const bool is_its = job.groups()[0].inputs.is_at(i, each.id);
          if (is_its && job.task(i).state == sched::TaskState::waiting) ++waits;
        }
        ASSERT_EQ(each.left, waits);
      }
    }
    EXPECT_EQ(ended, count);
  }
}

// Node 1 could not start it once. The others take it, find no loan and give it back for ever.
TEST_F(JobWithInputs, WhatNothingLendsToGoesBackToTheNodeThatFailedItInTheEnd) {
  JobState job = state(1, {"1"});
  ASSERT_EQ(bound(job, 1, 1), Indices{0});
  ASSERT_TRUE(job.end({.index = 0,
                          .attempt = 1,
                          .outcome = sched::Outcome::spawn_failed,
                          .cause = sched::Cause::start},
      {1}, now));
  now += 1s;
  ASSERT_TRUE(job.end_rests(now));
  const auto others = [](std::span<const PeerId>) { return true; };
  bool back = false;
  for (int i = 0; i < 30 && !back; ++i) {
    now += 5s;
    if (const auto task = job.bind(0, node(2), 1, now, others)) {
      ASSERT_TRUE(job.refuse(*task, {2}, now, true));
    }
    back = job.bind(0, node(1), 1, now, others).has_value();
  }
  EXPECT_TRUE(back);
}

// The same after a restart, which does not say where the task was offered before.
TEST_F(JobWithInputs, ATaskThatOnlyAvoidsItsInputForNowIsFoundThereLater) {
  JobState job = state(2, {"1", "1"});
  job.restore({}, {{.index = 0, .avoided = {PeerId{1}}}}, now, now);
  const auto ask = [&] {
    const auto others = [](std::span<const PeerId>) { return true; };
    return job.bind(0, node(1), 1, now, others, true);
  };
  ASSERT_EQ(ask().value().index, 1u);
  ASSERT_FALSE(ask());
  now += 2min;
  const auto later = ask();
  ASSERT_TRUE(later);
  EXPECT_EQ(later->index, 0u);
}

// There is always another node that takes it, finds no loan, and gives it back.
TEST_F(JobWithInputs, WhatNothingLendsToStaysForTheNodeThatHasIt) {
  JobState job = state(1, {"1"});
  EXPECT_TRUE(elsewhere(job, 2));
  EXPECT_FALSE(elsewhere(job, 3));
  now += 250ms;
  EXPECT_TRUE(elsewhere(job, 3));
  now += 250ms;
  EXPECT_FALSE(elsewhere(job, 4));
  EXPECT_EQ(job.offered(0), 1u);
  EXPECT_EQ(bound(job, 1, 1), Indices{0});
  // Its node had it, and it begins anew.
  (void)job.lose(0, now);
  EXPECT_TRUE(elsewhere(job, 4));
  now += 250ms;
  EXPECT_TRUE(elsewhere(job, 5));
}

TEST_F(JobWithInputs, WhatAWorkerDoesNotTakeAtAllStaysForNone) {
  JobState job = state(1, {"1"});
  EXPECT_TRUE(elsewhere(job, 2, 9));
  EXPECT_TRUE(elsewhere(job, 3));
}

TEST_F(JobWithInputs, ATaskThatEndedIsStuckNoMore) {
  JobState job = state(1, {"1"});
  for (int i = 1; i <= 6; ++i) {
    ASSERT_TRUE(elsewhere(job, 2));
    EXPECT_EQ(job.groups()[0].inputs.stuck({1}), i == 6 ? 1u : 0u);
    now += 8s;
  }
  const auto task = job.bind(0, node(2), 1, now, {});
  ASSERT_TRUE(task);
  ASSERT_TRUE(job.end({.index = 0, .attempt = task->attempt}, {2}, now, 1000));
  const std::array<std::uint32_t, 1> again = {0};
  (void)job.retry(again, nullptr);
  EXPECT_EQ(job.groups()[0].inputs.stuck({1}), 0u);
  EXPECT_TRUE(elsewhere(job, 2));
}

TEST_F(JobWithInputs, ATaskWithNoKnownNodeStaysForNone) {
  JobState job = state(1, {"x"});
  EXPECT_TRUE(elsewhere(job, 2));
  EXPECT_TRUE(elsewhere(job, 3));
}

TEST_F(JobWithInputs, AFinishedJobForgetsThemAndOneThatGoesOnHasThemAgain) {
  JobState job = state(2, {"1", "2"});
  const sched::Job stored = job.job();
  for (const std::uint32_t i : bound(job, 1, 2)) {
    ASSERT_TRUE(job.end({.index = i, .attempt = 1, .status = 1}, {1}, now));
  }
  job.finish(now);
  EXPECT_TRUE(job.spec_of(0).inputs.empty());
  EXPECT_FALSE(job.groups()[0].inputs.any());
  const std::uint32_t again[] = {1};
  (void)job.retry(again, &stored);
  EXPECT_EQ(job.groups()[0].inputs.left(PeerId{2}), 1u);
  EXPECT_EQ(job.groups()[0].inputs.left(PeerId{1}), 0u);
  EXPECT_EQ(bound(job, 2, 1, true), Indices{1});
}

}  // namespace
}  // namespace dunlin::test
