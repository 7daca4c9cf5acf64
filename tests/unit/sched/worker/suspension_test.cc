// SPDX-License-Identifier: MIT
#include <algorithm>
#include <vector>

#include "sched/worker/running_tasks.h"
#include "tests/unit/sched/worker/preemption_stage.h"

// Tasks that stand still so that others have their CPUs.
namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::GetTask;
using sched::OnPreempt;

class SuspensionTest : public PreemptionTest {};

TEST_F(SuspensionTest, ItsCpuIsFreeAtOnceAndItsMemoryIsNot) {
  fill(OnPreempt::suspend);
  const std::uint32_t memory = worker.slots().free().memory;
  come(reserve(9, 95));
  answer(0);
  EXPECT_TRUE(runs(9)) << "nothing ends, so nothing is waited for";
  EXPECT_EQ(standing(), 1u);
  EXPECT_EQ(stopped().size(), 0u);
  EXPECT_EQ(worker.running().size(), 5u) << "its lease goes on";
  EXPECT_EQ(worker.slots().free().cpu, 0u);
  EXPECT_EQ(worker.slots().free().memory, memory - 1) << "all five have their own";
}

TEST_F(SuspensionTest, GoesOnBeforeWhatWaits) {
  fill(OnPreempt::suspend);
  come(reserve(9, 95));
  answer(0);
  come(reserve(5, 50));
  out.clear();
  now += 10s;
  finish(9);
  EXPECT_EQ(standing(), 0u);
  EXPECT_FALSE(asks());
}

TEST_F(SuspensionTest, WhatMayHaveItSuspendedAgainIsAskedForFirst) {
  run(1, 10, 1000, OnPreempt::suspend);
  for (std::uint32_t job = 2; job <= 4; ++job) run(job, 90);
  now += 10s;
  come(reserve(9, 95));
  answer(0);
  ASSERT_TRUE(stands(1));
  come(reserve(8, 95));
  out.clear();
  finish(9);
  EXPECT_TRUE(stands(1));
  EXPECT_EQ(out.only<GetTask>().job, reserve_of(8).job);
}

TEST_F(SuspensionTest, ItsTimeStandsStill) {
  sched::Reserve limited = reserve(1, 10);
  come(limited);
  sched::Tasks tasks = answer_to(out.all<GetTask>().back(), {0});
  tasks.on_preempt = OnPreempt::requeue;
  tasks.suspends = true;
  tasks.time_limit = 30s;
  tasks.spec = Script{.duration = 1000s}.spec();
  auto now_turn = turn();
  worker.on_message(now_turn, node(99), tasks);
  now += 10s;
  come(reserve(9, 95, 4000));
  answer(0);
  ASSERT_TRUE(stands(1));
  now += 50s;
  wake();
  EXPECT_TRUE(stands(1)) << "its limit has not come";
  finish(9);
  ASSERT_FALSE(stands(1));
  EXPECT_EQ(sched::ran_by(worker.running()[0], now), 10s);
  now += 19s;
  wake();
  EXPECT_FALSE(worker.running()[0].killed);
  now += 1s;
  wake();
  EXPECT_TRUE(worker.running()[0].killed);
}

TEST_F(SuspensionTest, OneThatStandsForLongRunsAgainElsewhere) {
  fill(OnPreempt::suspend);
  come(reserve(9, 95));
  answer(0);
  ASSERT_EQ(standing(), 1u);
  now += 99s;
  wake();
  EXPECT_EQ(standing(), 1u);
  now += 1s;
  wake();
  EXPECT_EQ(stopped().size(), 1u);
  let_end();
  EXPECT_EQ(worker.running().size(), 4u);
  const sched::Report& report = worker.outbox().items().back().report;
  EXPECT_EQ(report.outcome, sched::Outcome::preempted);
  EXPECT_EQ(report.detail, "it stood still for longer than worker.suspend_max");
  EXPECT_EQ(worker.slots().free().cpu, 0u) << "its CPU was given away before";
}

TEST_F(SuspensionTest, MakesNoRoomForWhatLacksMemory) {
  fill(OnPreempt::suspend);
  sched::Reserve large = reserve(9, 95);
  large.demand.memory = 8192;
  come(large);
  EXPECT_FALSE(asks());
}

// Its frontend may have learnt meanwhile that its tasks are longer than the express share allows.
TEST_F(SuspensionTest, GoesOnThoughItsTasksAreTooLongByNow) {
  sched::WorkerParams express = params(sched::PreemptMode::emergency);
  express.express_share = 1 - 1e-9;
  express.express_limit = 10s;
  sched::Worker narrow(express, LooseParts::node_of(4000));
  sched::Reserve shorter = reserve(1, 10);
  shorter.task_time = 1s;
  auto now_turn = turn();
  narrow.on_message(now_turn, around(), node(99), shorter);
  sched::Tasks tasks = answer_to(out.all<GetTask>().back(), {0});
  tasks.on_preempt = OnPreempt::requeue;
  tasks.suspends = true;
  tasks.task_time = 1000s;
  tasks.spec = Script{.duration = 1000s}.spec();
  narrow.on_message(now_turn, node(99), tasks);
  now += 10s;
  auto later_turn = turn();
  sched::Reserve other = reserve(9, 95, 4000);
  other.task_time = 1s;
  narrow.on_message(later_turn, around(), node(99), other);
  narrow.on_message(later_turn, node(99), answer_to(out.all<GetTask>().back(), {0}));
  ASSERT_TRUE(stands(1));
  narrow.on_exits(later_turn, around(),
      std::vector<sched::Exit>{{.job = other.job, .report = {.index = 0, .attempt = 1}}});
  EXPECT_FALSE(stands(1));
}

TEST_F(SuspensionTest, ADrainingNodeLetsItGoOn) {
  fill(OnPreempt::suspend);
  come(reserve(9, 95));
  answer(0);
  auto now_turn = turn();
  worker.drain(now_turn, around(), true);
  finish(9);
  EXPECT_EQ(standing(), 0u);
}

TEST_F(SuspensionTest, ALaterAgentKnowsWhatStandsAndWhatEnds) {
  fill(OnPreempt::suspend);
  come(reserve(9, 95));
  answer(0);
  now += 5s;
  const auto kept = executor.take_kept(now);
  sched::Worker later(params(sched::PreemptMode::emergency), LooseParts::node_of(4000));
  auto now_turn = turn();
  later.take_back(now_turn, 1, kept);
  EXPECT_EQ(later.running().size(), 5u) << "all five have room, since one needs no CPU";
  EXPECT_EQ(later.slots().free().cpu, 0u);
  EXPECT_EQ(std::ranges::count_if(later.running(),
                [](const sched::RunningTask& each) { return each.suspended.has_value(); }),
      1);
}

}  // namespace
}  // namespace dunlin::test
