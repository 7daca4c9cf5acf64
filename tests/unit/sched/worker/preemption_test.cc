// SPDX-License-Identifier: MIT
#include "sched/worker/preemption.h"

#include <utility>
#include <vector>

#include "tests/unit/sched/worker/preemption_stage.h"

// A worker of four CPUs, all of which are taken, and emergencies that come.
namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::GetTask;
using sched::OnPreempt;
using sched::Refused;

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

// It holds slots until there are enough for all that start together, which may never be.
TEST_F(PreemptionTest, AGangStopsNoTask) {
  fill();
  sched::Reserve gang = reserve(9, 95);
  gang.gang = true;
  come(gang);
  EXPECT_FALSE(asks());
  gang.job.number = 10;
  gang.gang = false;
  come(gang);
  EXPECT_TRUE(asks());
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

// What waits gets new terms, or what runs: as if it came with them.
TEST_F(PreemptionTest, NewTermsStopOthersAsThoseOfANewJobDo) {
  fill();
  come(reserve(9, 50));
  EXPECT_FALSE(asks());
  sched::Remaining told{.job = reserve_of(9).job, .task_time = 1000s};
  told.has_terms = true;
  told.priority = 95;
  auto now_turn = turn();
  worker.on_message(now_turn, node(99), told);
  ASSERT_TRUE(asks());
  answer(0);
  EXPECT_EQ(stopped().size(), 1u);
}

TEST_F(PreemptionTest, ARunningTaskThatMattersLessByNowYieldsAtOnce) {
  for (std::uint32_t job = 1; job <= 4; ++job) run(job, 90);
  now += 10s;
  come(reserve(9, 95));
  EXPECT_FALSE(asks());
  auto now_turn = turn();
  worker.on_message(now_turn, node(99),
      sched::RenewAck{.job = reserve_of(2).job, .has_priority = true, .priority = 10});
  ASSERT_TRUE(asks());
  answer(0);
  EXPECT_EQ(stopped(), std::vector<std::uint32_t>{2});
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

TEST_F(PreemptionTest, AJobThatWouldMissItsDeadlineIsAnEmergency) {
  fill();
  sched::Reserve late = reserve(9, 50);
  come(late);
  EXPECT_FALSE(asks());
  // Its frontend sees that it gets too late.
  auto now_turn = turn();
  sched::Remaining told{.job = late.job, .has_terms = true, .priority = 50, .urgent = true};
  told.task_time = told.work = 1000s;
  worker.on_message(now_turn, node(99), told);
  ASSERT_TRUE(asks());
  answer(0);
  EXPECT_EQ(stopped().size(), 1u);
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

TEST_F(PreemptionTest, ALaterAgentStopsNoOtherForWhatWasToldToYield) {
  fill();
  come(reserve(9, 95));
  answer(0);
  ASSERT_EQ(stopped().size(), 1u);
  sched::Worker later(params(sched::PreemptMode::emergency), LooseParts::node_of(4000));
  auto now_turn = turn();
  later.take_back(now_turn, 1, executor.take_kept(now));
  out.clear();
  later.on_message(now_turn, around(), node(99), reserve(9, 95));
  ASSERT_TRUE(asks());
  sched::Tasks tasks = answer_to(out.all<GetTask>().back(), {0});
  tasks.tasks[0].attempt = 2;
  later.on_message(now_turn, node(99), tasks);
  EXPECT_EQ(stopped().size(), 1u) << "the one that ends leaves room enough";
  EXPECT_EQ(later.running().size(), 5u);
}

TEST_F(PreemptionTest, VictimsAreChosenByThePriorityThatTheirUserSetLast) {
  fill();
  auto now_turn = turn();
  for (const std::uint32_t job : {1u, 2u, 4u}) {
    worker.on_message(now_turn, node(99),
        sched::RenewAck{.job = reserve_of(job).job, .has_priority = true, .priority = 90});
  }
  come(reserve(9, 95));
  answer(0);
  EXPECT_EQ(stopped(), std::vector<std::uint32_t>{3});
}

}  // namespace
}  // namespace dunlin::test
