// SPDX-License-Identifier: MIT
#include "sched/worker/running_tasks.h"

#include <gtest/gtest.h>

#include "tests/support/loose_parts.h"
#include "tests/support/solo.h"

namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::Refused;
using sched::Reserve;
using sched::Tasks;

/// A node of four CPUs, with leases of a second.
class RunningTasksTest : public Solo {
 protected:
  static sched::WorkerParams params() {
    sched::WorkerParams params;
    params.renew = 1s;
    params.queue_renew = 4s;
    params.orphan_after = 60s;
    return params;
  }
  /// Starts these tasks of job `number`.
  void start(std::uint32_t number,
      const std::vector<std::uint32_t>& indices,
      sched::Duration time_limit = 0s) {
    auto now_turn = turn();
    const Reserve reserve = reserve_of(number, 10s);
    Tasks tasks{.job = reserve.job};
    tasks.task_time = 5s;
    tasks.time_limit = time_limit;
    for (const std::uint32_t index : indices) {
      running.start(now_turn, sched::arriving(reserve, now), tasks, {index, 1, {}});
    }
  }
  bool end(std::uint32_t number, std::uint32_t index, std::uint32_t attempt = 1) {
    auto now_turn = turn();
    return running
        .end(now_turn,
            {.job = reserve_of(number).job, .report = {.index = index, .attempt = attempt}})
        .has_value();
  }
  void acknowledge(std::uint32_t number) {
    auto now_turn = turn();
    const sched::JobId job = reserve_of(number).job;
    running.outbox().acknowledge(now_turn, job.home, job, {{.index = 0, .attempt = 1}});
  }
  /// A task of job `number` as an earlier incarnation of the node started it.
  static sched::KeptTask kept(std::uint32_t number, std::uint32_t index = 0) {
    return {.task = {reserve_of(number).job, index},
        .attempt = 1,
        .frontend = node(99),
        .demand = {.cpu = 1000, .memory = 1, .custom = {}},
        .task_time = 5s,
        .ran = 3s,
        .ended = {}};
  }
  void take_back(const std::vector<sched::KeptTask>& tasks) {
    auto now_turn = turn();
    running.take_back(now_turn, tasks);
  }
  sched::Kill kill_of(std::uint32_t number, std::vector<sched::Attempt> tasks) const {
    return {.job = reserve_of(number).job, .tasks = std::move(tasks)};
  }

  LooseParts parts{4000, params()};
  sched::RunningTasks& running = parts.running;
};

TEST_F(RunningTasksTest, AStartHoldsSlotsUntilTheEnd) {
  start(1, {0, 1});
  EXPECT_EQ(parts.slots.free().cpu, 2000u);
  EXPECT_EQ(executor.running(), 2u);
  EXPECT_EQ(running.running()[0].task_time, 5s) << "as the answer says, not the reservation";
  EXPECT_TRUE(end(1, 0));
  EXPECT_EQ(parts.slots.free().cpu, 3000u);
  EXPECT_FALSE(end(1, 0)) << "it is gone";
  EXPECT_FALSE(end(1, 1, 2)) << "another attempt";
  EXPECT_EQ(running.running().size(), 1u);
}

TEST_F(RunningTasksTest, AnAttemptNeverStartsTwice) {
  start(1, {0});
  start(1, {0});
  EXPECT_EQ(executor.started(), 1u);
  end(1, 0);
  start(1, {0});
  EXPECT_EQ(executor.started(), 1u) << "its report is still kept";
  acknowledge(1);
  start(1, {0});
  EXPECT_EQ(executor.started(), 2u);
}

TEST_F(RunningTasksTest, WhatIsToRunAgainEndsAsPreempted) {
  start(1, {0, 1});
  now += 300ms;
  sched::Kill again = kill_of(1, {{0, 1}, {1, 1}});
  again.requeue = true;
  auto now_turn = turn();
  running.kill(now_turn, node(99), again);
  running.kill(now_turn, node(99), again);
  const auto preempts = [](const sched::Event& event) {
    return std::holds_alternative<sched::TaskPreempted>(event);
  };
  EXPECT_EQ(std::ranges::count_if(events.seen, preempts), 2) << "once each";
  // Its user may want one of them no more, before it has ended.
  running.kill(now_turn, node(99), kill_of(1, {{1, 1}}));
  const auto exits = executor.take_ended(now + 1min);
  ASSERT_EQ(exits.size(), 2u);
  for (const sched::Exit& exit : exits) {
    const bool preempted = exit.report.index == 0;
    EXPECT_EQ(exit.report.outcome, preempted ? sched::Outcome::preempted : sched::Outcome::killed);
    running.end(now_turn, exit);
    EXPECT_EQ(running.outbox().items().back().report.detail, preempted ? "at its user's word" : "");
  }
}

TEST_F(RunningTasksTest, RefusesWhatItDoesNotHold) {
  start(1, {0, 1});
  end(1, 1);
  auto now_turn = turn();
  Tasks late{.job = reserve_of(1).job};
  late.request = 7;
  for (const std::uint32_t index : {5u, 0u, 1u, 2u}) late.tasks.push_back({index, 1, {}});
  running.refuse(now_turn, node(99), late, 1);
  const auto refused = out.only<Refused>();
  EXPECT_EQ(refused.request, 7u);
  ASSERT_EQ(refused.tasks.size(), 1u) << "one runs, one is reported, and element 0 was started";
  EXPECT_EQ(refused.tasks[0].index, 2u);
  out.clear();
  running.refuse(now_turn, node(99), late, 4);
  EXPECT_TRUE(out.sent.empty());
}

TEST_F(RunningTasksTest, KillsOnceAndRefusesStrangers) {
  start(1, {0});
  auto now_turn = turn();
  running.kill(now_turn, node(99), kill_of(1, {{0, 1}, {0, 2}, {9, 1}}));
  EXPECT_TRUE(running.running()[0].killed);
  const auto refused = out.only<Refused>();
  ASSERT_EQ(refused.tasks.size(), 2u);
  EXPECT_EQ(refused.tasks[0], (sched::Attempt{0, 2}));
  out.clear();
  end(1, 0);
  running.kill(now_turn, node(99), kill_of(1, {{0, 1}}));
  EXPECT_TRUE(out.sent.empty()) << "its report says it all";
}

TEST_F(RunningTasksTest, RefusalsAreBoundedAsTheSchemaSays) {
  std::vector<sched::Attempt> targets;
  for (std::uint32_t index = 0; index < 128; ++index) targets.push_back({index, 1});
  auto now_turn = turn();
  running.kill(now_turn, node(99), kill_of(1, targets));
  EXPECT_EQ(out.only<Refused>().tasks.size(), 64u);
}

// Time for a checkpoint is no more time than its user allows it.
TEST_F(RunningTasksTest, ATaskThatYieldsIsStoppedAtItsLimitTooOnce) {
  start(1, {0}, 3s);
  auto now_turn = turn();
  running.preempt(now_turn, 0, reserve_of(2).job, "for job 2");
  ASSERT_TRUE(running.running()[0].killed);
  EXPECT_EQ(running.next_limit(), now + 3s);
  now += 3s;
  auto later = turn();
  running.enforce_limits(later);
  EXPECT_EQ(running.next_limit(), sched::kNever);
}

TEST_F(RunningTasksTest, StopsTheTasksOfOneFrontendThatHasNoUseForThem) {
  start(1, {0});
  take_back({kept(2), [] {
               auto of_other = kept(3);
               of_other.frontend = node(98);
               return of_other;
             }()});
  auto now_turn = turn();
  running.orphan(now_turn, {99});
  ASSERT_EQ(running.running().size(), 3u) << "they are here until they have ended";
  EXPECT_TRUE(running.running()[0].killed);
  EXPECT_TRUE(running.running()[1].killed);
  EXPECT_FALSE(running.running()[2].killed);
  events.seen.clear();
  running.orphan(now_turn, {99});
  EXPECT_TRUE(events.seen.empty()) << "once each";
}

TEST_F(RunningTasksTest, StopsTasksAtTheirLimit) {
  start(1, {0}, 3s);
  start(2, {0});
  EXPECT_EQ(running.next_limit(), now + 3s);
  now += 3s;
  auto now_turn = turn();
  running.enforce_limits(now_turn);
  EXPECT_TRUE(running.running()[0].killed);
  EXPECT_FALSE(running.running()[1].killed) << "it has no limit";
  EXPECT_EQ(running.next_limit(), sched::kNever);
}

TEST_F(RunningTasksTest, TakesBackTasksAsTheyWere) {
  auto limited = kept(1);
  limited.time_limit = 10s;
  take_back({limited, kept(2)});
  EXPECT_EQ(parts.slots.free().cpu, 2000u);
  EXPECT_EQ(executor.started(), 0u) << "they run already";
  ASSERT_EQ(running.running().size(), 2u);
  EXPECT_EQ(running.running()[0].started, now - 3s);
  EXPECT_EQ(running.next_limit(), now + 7s) << "the limit counts from the start";
  EXPECT_TRUE(end(1, 0));
  EXPECT_EQ(parts.slots.free().cpu, 3000u);
}

TEST_F(RunningTasksTest, ReportsWhatEndedMeanwhile) {
  auto ended = kept(1);
  ended.ended = sched::Report{.index = 0, .attempt = 1, .status = 3};
  take_back({ended});
  EXPECT_EQ(parts.slots.free().cpu, 4000u);
  ASSERT_EQ(running.outbox().items().size(), 1u);
  EXPECT_EQ(running.outbox().items()[0].report.status, 3);
  start(1, {0});
  EXPECT_EQ(executor.started(), 0u) << "an attempt that has ended is not started again";
  acknowledge(1);
  EXPECT_EQ(executor.forgotten().size(), 1u);
}

TEST_F(RunningTasksTest, GivesBackWhatANodeThatOffersLessHasNoRoomFor) {
  auto large = kept(1);
  large.demand.cpu = 5000;
  take_back({large});
  EXPECT_TRUE(running.running().empty());
  EXPECT_EQ(parts.slots.free().cpu, 4000u);
  const auto refused = out.only<Refused>();
  EXPECT_EQ(refused.job, reserve_of(1).job);
  ASSERT_EQ(refused.tasks.size(), 1u);
  EXPECT_EQ(refused.tasks[0], (sched::Attempt{0, 1}));
  EXPECT_FALSE(end(1, 0));
  EXPECT_EQ(executor.forgotten().size(), 1u) << "no frontend waits for its report";
}

TEST(TimeLeft, OfATaskLongerThanExpectedIsAsMuchAgain) {
  EXPECT_EQ(sched::time_left(10s, 4s), 6s);
  EXPECT_EQ(sched::time_left(10s, 15s), 15s);
}

}  // namespace
}  // namespace dunlin::test
