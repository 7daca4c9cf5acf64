// SPDX-License-Identifier: MIT
#include "sched/worker/preemption.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "sched/worker/worker.h"
#include "tests/support/loose_parts.h"
#include "tests/support/solo.h"

// A worker of four CPUs, all of which are taken, and emergencies that come.
namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::GetTask;
using sched::OnPreempt;
using sched::Refused;
using sched::TaskPreempted;

class PreemptionTest : public Solo {
 protected:
  static sched::WorkerParams params() {
    sched::WorkerParams params;
    params.preempt = sched::PreemptMode::emergency;
    params.preempt_exempt = 2s;
    params.preempt_max = 3;
    return params;
  }
  static sched::Reserve reserve(
      std::uint32_t job, std::int16_t priority, std::uint32_t cpu = 1000) {
    sched::Reserve reserve = reserve_of(job, 1000s);
    reserve.priority = priority;
    reserve.demand.cpu = cpu;
    reserve.settled = true;
    return reserve;
  }
  void come(const sched::Reserve& reserve) {
    auto now_turn = turn();
    worker.on_message(now_turn, around(), node(99), reserve);
  }
  /// Answers the last question with task `index`.
  void answer(std::uint32_t index,
      OnPreempt on_preempt = OnPreempt::requeue,
      std::uint16_t preemptions = 0) {
    sched::Tasks tasks = answer_to(out.all<GetTask>().back(), {index});
    tasks.tasks[0].preemptions = preemptions;
    tasks.on_preempt = on_preempt;
    tasks.task_time = 1000s;
    tasks.spec = Script{.duration = 1000s}.spec();
    auto now_turn = turn();
    worker.on_message(now_turn, node(99), tasks);
  }
  /// A task runs from now on.
  void run(std::uint32_t job,
      std::int16_t priority,
      std::uint32_t cpu = 1000,
      OnPreempt on_preempt = OnPreempt::requeue,
      std::uint16_t preemptions = 0) {
    come(reserve(job, priority, cpu));
    answer(0, on_preempt, preemptions);
    out.clear();
  }
  void fill() {
    for (std::uint32_t job = 1; job <= 4; ++job) run(job, 10);
    now += 10s;
  }
  std::vector<std::uint32_t> stopped() const {
    std::vector<std::uint32_t> jobs;
    for (const sched::Event& event : events.seen) {
      if (const auto* one = std::get_if<TaskPreempted>(&event)) jobs.push_back(one->job.number);
    }
    return jobs;
  }
  bool asks() const { return !out.all<GetTask>().empty(); }
  bool runs(std::uint32_t job) const { return executor.runs({reserve_of(job).job, 0}); }
  void let_end(sched::Duration after = 1s) {
    now += after;
    const auto exits = executor.take_ended(now);
    auto now_turn = turn();
    worker.on_exits(now_turn, around(), exits);
  }

  sched::Worker worker{params(), LooseParts::node_of(4000)};
};

TEST_F(PreemptionTest, StopsNoTaskBeforeAnotherIsBound) {
  fill();
  come(reserve(9, 95));
  ASSERT_TRUE(asks());
  EXPECT_EQ(stopped().size(), 0u);
  // It had none left.
  auto now_turn = turn();
  worker.on_message(now_turn, node(99), answer_to(out.all<GetTask>().back(), {}));
  EXPECT_EQ(stopped().size(), 0u);
}

TEST_F(PreemptionTest, ATaskStartsWhenItsVictimIsGone) {
  fill();
  come(reserve(9, 95));
  answer(0);
  EXPECT_EQ(stopped().size(), 1u);
  EXPECT_EQ(worker.running().size(), 5u) << "its frontend must hear that it is here";
  EXPECT_FALSE(runs(9)) << "nothing is over-committed";
  let_end();
  EXPECT_TRUE(runs(9));
  EXPECT_EQ(worker.running().size(), 4u);
  const sched::Report& report = worker.outbox().items().back().report;
  EXPECT_EQ(report.outcome, sched::Outcome::preempted);
  EXPECT_EQ(report.detail, "for job 9 of priority 95");
  let_end(3000s);
  EXPECT_TRUE(worker.running().empty());
  EXPECT_EQ(worker.slots().free(), worker.slots().total()) << "what was set aside is given back";
}

TEST_F(PreemptionTest, RoomThatFallsFreeMeanwhileSparesTheOthers) {
  fill();
  come(reserve(9, 95));
  auto now_turn = turn();
  worker.on_exits(now_turn, around(),
      std::vector<sched::Exit>{{.job = reserve_of(1).job, .report = {.index = 0, .attempt = 1}}});
  answer(0);
  EXPECT_EQ(stopped().size(), 0u);
  EXPECT_TRUE(runs(9));
}

TEST_F(PreemptionTest, TheRulesProtectTasks) {
  run(1, 86);                               // Not much lower.
  run(2, 10, 1000, OnPreempt::never);       // By its user's wish.
  run(3, 10, 1000, OnPreempt::requeue, 3);  // It was preempted often enough.
  now += 10s;
  run(4, 10);  // It is young.
  come(reserve(9, 95));
  EXPECT_FALSE(asks());
  come(reserve(8, 89));
  EXPECT_FALSE(asks()) << "no emergency";
  EXPECT_EQ(worker.deadline() <= now + 2s, true);
  now += 2s;
  auto now_turn = turn();
  worker.wake(now_turn);
  EXPECT_TRUE(asks()) << "one is not young any more";
  answer(0);
  EXPECT_EQ(stopped(), std::vector<std::uint32_t>{4});
}

TEST_F(PreemptionTest, NoTwoEmergenciesCountOnOneVictim) {
  run(1, 10, 3000);
  run(2, 80, 1000, OnPreempt::never);
  now += 10s;
  come(reserve(7, 95, 2000));
  answer(0);
  EXPECT_EQ(stopped(), std::vector<std::uint32_t>{1});
  out.clear();
  come(reserve(8, 95, 1000));
  ASSERT_TRUE(asks()) << "the victim leaves room for both";
  answer(0);
  out.clear();
  come(reserve(9, 95, 1000));
  EXPECT_FALSE(asks());
  EXPECT_EQ(stopped().size(), 1u);
  let_end();
  EXPECT_TRUE(runs(7));
  EXPECT_TRUE(runs(8));
}

TEST_F(PreemptionTest, WhatWaitsForRoomLosesNoneToOthers) {
  fill();
  come(reserve(9, 95, 3000));
  answer(0);
  EXPECT_EQ(stopped().size(), 3u);
  come(reserve(5, 50));  // It would fit what the first victim leaves.
  out.clear();
  while (!runs(9)) {
    ASSERT_LT(now, sched::Time{} + 1h);
    EXPECT_FALSE(asks());
    let_end(10ms);
  }
  EXPECT_EQ(worker.slots().free().cpu, 0u);
}

TEST_F(PreemptionTest, ATaskThatIsCancelledBeforeItStartsIsGivenBack) {
  fill();
  come(reserve(9, 95));
  answer(0);
  out.clear();
  auto now_turn = turn();
  worker.on_message(now_turn, node(99), sched::Kill{.job = reserve_of(9).job, .tasks = {{0, 1}}});
  EXPECT_EQ(out.only<Refused>().tasks.size(), 1u);
  EXPECT_EQ(worker.running().size(), 4u);
  let_end();
  EXPECT_EQ(worker.slots().free().cpu, 1000u);
  EXPECT_FALSE(runs(9));
}

TEST_F(PreemptionTest, ANodeThatFallsSickGivesBackWhatWaits) {
  fill();
  come(reserve(9, 95));
  answer(0);
  out.clear();
  auto now_turn = turn();
  worker.on_verdict(now_turn, around(), sched::HealthJudge::operators, "no disk");
  EXPECT_EQ(out.all<Refused>().size(), 1u);
  EXPECT_EQ(worker.running().size(), 4u);
}

}  // namespace
}  // namespace dunlin::test
