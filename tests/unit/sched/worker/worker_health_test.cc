// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "sched/worker/worker.h"
#include "tests/support/loose_parts.h"
#include "tests/support/solo.h"

// A whole worker on a node that is sick.
namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::BounceReason;
using sched::GetTask;
using sched::HealthChanged;
using sched::Worker;

class WorkerHealth : public Solo {
 protected:
  void receive(const sched::Reserve& reserve) {
    auto now_turn = turn();
    worker.on_message(now_turn, around(), node(99), reserve);
  }
  void answer(const GetTask& asked, const std::vector<std::uint32_t>& indices) {
    auto now_turn = turn();
    worker.on_message(now_turn, node(99), answer_to(asked, indices));
  }
  /// A reservation for so many tasks comes, and they start.
  void start(std::uint32_t job, std::uint16_t count) {
    sched::Reserve reserve = reserve_of(job);
    reserve.tasks_max = count;
    out.clear();
    receive(reserve);
    std::vector<std::uint32_t> indices;
    for (std::uint32_t i = 0; i < count; ++i) indices.push_back(i);
    answer(out.only<GetTask>(), indices);
  }
  void tell_exits() {
    now = executor.next();
    auto now_turn = turn();
    const auto ended = executor.take_ended(now);
    worker.on_exits(now_turn, around(), ended);
  }
  void judge(sched::HealthJudge by, std::string_view why) {
    auto now_turn = turn();
    worker.on_verdict(now_turn, around(), by, why);
  }
  void wake() {
    now = worker.deadline();
    auto now_turn = turn();
    worker.wake(now_turn);
  }
  /// Two starts in a row fail.
  void fall_sick() {
    executor.break_down(true);
    start(1, 2);
    tell_exits();
  }
  std::vector<HealthChanged> changes() const {
    std::vector<HealthChanged> found;
    for (const auto& event : events.seen) {
      if (const auto* change = std::get_if<HealthChanged>(&event)) found.push_back(*change);
    }
    return found;
  }

  sched::WorkerParams params;
  Worker worker{params, LooseParts::node_of(4000)};
};

TEST_F(WorkerHealth, ASickNodeOffersNothingAndSaysWhy) {
  fall_sick();
  ASSERT_EQ(changes().size(), 1u);
  EXPECT_TRUE(changes()[0].sick);
  EXPECT_EQ(changes()[0].reason, "tasks cannot start: cannot fork");
  EXPECT_EQ(worker.load().cpu_free, 0u);
  const auto done = out.all<sched::Done>();
  ASSERT_FALSE(done.empty());
  EXPECT_EQ(done[0].reports[0].cause, sched::Cause::start);
  out.clear();
  sched::Reserve settled = reserve_of(2);
  settled.settled = true;
  receive(settled);
  EXPECT_EQ(out.only<sched::Bounced>().reason, BounceReason::sick);
}

TEST_F(WorkerHealth, WhatWaitsGoesElsewhere) {
  start(1, 4);
  sched::Reserve waits = reserve_of(2);
  waits.settled = true;
  receive(waits);
  ASSERT_EQ(worker.queue().size(), 1u);
  out.clear();
  judge(sched::HealthJudge::operators, "disk is full");
  EXPECT_TRUE(worker.queue().empty());
  EXPECT_EQ(out.only<sched::Bounced>().reason, BounceReason::sick);
  EXPECT_EQ(worker.running().size(), 4u) << "running tasks go on";
}

TEST_F(WorkerHealth, TasksThatComeAfterItFellSickAreGivenBack) {
  receive(reserve_of(1));
  const auto asked = out.only<GetTask>();
  judge(sched::HealthJudge::operators, "disk is full");
  out.clear();
  answer(asked, {0});
  EXPECT_EQ(out.only<sched::Refused>().tasks.size(), 1u);
  EXPECT_TRUE(worker.running().empty());
  EXPECT_EQ(worker.slots().free(), worker.slots().total());
}

TEST_F(WorkerHealth, ItTriesUntilATaskStarts) {
  fall_sick();
  const auto fell = now;
  // Reports are sent again meanwhile.
  while (!executor.trying()) wake();
  EXPECT_EQ(now, fell + params.trial_period);
  now = executor.next();
  judge(sched::HealthJudge::starts, *executor.take_trial(now));
  EXPECT_EQ(changes().size(), 1u) << "the reason is the same";
  executor.break_down(false);
  while (!executor.trying()) wake();
  now = executor.next();
  judge(sched::HealthJudge::starts, *executor.take_trial(now));
  ASSERT_EQ(changes().size(), 2u);
  EXPECT_FALSE(changes()[1].sick);
  start(3, 1);
  EXPECT_EQ(worker.running().size(), 1u);
}

TEST_F(WorkerHealth, TasksWithoutDemandsAreBounded) {
  params.tasks_max = 6;
  Worker small{params, LooseParts::node_of(4000)};
  sched::Reserve nothing = reserve_of(1);
  nothing.demand = {};
  nothing.tasks_max = 64;
  auto now_turn = turn();
  small.on_message(now_turn, around(), node(99), nothing);
  EXPECT_EQ(out.only<GetTask>().room, 6u);
  sched::Reserve more = reserve_of(2);
  more.demand = {};
  more.settled = true;
  small.on_message(now_turn, around(), node(99), more);
  EXPECT_EQ(out.all<GetTask>().size(), 1u) << "tasks that are asked for count";
  EXPECT_EQ(small.queue().size(), 1u);
}

}  // namespace
}  // namespace dunlin::test
