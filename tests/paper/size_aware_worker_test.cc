// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "sched/worker/worker.h"
#include "tests/support/solo.h"

// Sizes, which Sparrow's successors knew: what workers do with them. Eagle (Delgado, Didona, Dinu,
// Zwaenepoel; SoCC 2016): the shortest remaining job first. Hawk (USENIX ATC 2015): a part of the
// cluster that long tasks keep out of. And, as in power-of-d choices, a reservation waits at the
// best of the nodes it met.
namespace dunlin::test {
namespace {

using sched::Worker;
using std::chrono::seconds;

class SizeAwareWorker : public Solo {
 protected:
  static Worker worker(std::uint64_t id, std::uint32_t cpu, double express_share = 0) {
    sched::NodeSpec spec;
    spec.endpoint = node(id);
    spec.total = {.cpu = cpu, .memory = 8192, .custom = {}};
    sched::WorkerParams params;
    params.discipline = sched::DisciplineName::shortest;
    params.express_share = express_share;
    params.express_limit = seconds(10);
    return Worker(params, spec);
  }
  static sched::Reserve reservation(std::uint32_t job, sched::Duration task_time) {
    sched::Reserve reserve;
    reserve.job = {.home = {99}, .number = job};
    reserve.probe = job;
    reserve.frontend = node(99).address;
    reserve.demand = {.cpu = 1000, .memory = 100, .custom = {}};
    reserve.tasks_max = 1;
    reserve.task_time = reserve.work = task_time;
    return reserve;
  }
  void receive(Worker& worker, const sched::Reserve& reserve) {
    out.clear();
    auto now_turn = turn();
    worker.on_message(now_turn, around(), node(99), reserve);
  }
  /// The worker asks for a task, gets it, and runs it; `remaining` more of its job wait.
  void run(Worker& worker,
      const sched::Reserve& reserve,
      sched::Duration task_time,
      std::uint32_t remaining = 0) {
    receive(worker, reserve);
    const auto asked = out.only<sched::GetTask>();
    out.clear();
    auto now_turn = turn();
    worker.on_message(now_turn, node(99),
        sched::Tasks{.job = asked.job,
            .group = 0,
            .probe = asked.probe,
            .request = asked.request,
            .task_count = 1 + remaining,
            .tasks = {{.index = 0, .attempt = 1}},
            .remaining = remaining,
            .task_time = task_time,
            .work = remaining * task_time});
  }
  void run(Worker& worker, const sched::Reserve& reserve) {
    run(worker, reserve, reserve.task_time);
    out.clear();
  }
};

TEST_F(SizeAwareWorker, AReservationWaitsWhereItWouldWaitLeast) {
  Worker here = worker(1, 1000);
  run(here, reservation(1, seconds(60)));
  sched::Reserve next = reservation(2, seconds(1));
  next.best_node = node(2).id;
  next.best = node(2).address;
  next.best_wait = seconds(10);
  receive(here, next);
  const auto moved = out.only<sched::Reserve>();
  EXPECT_TRUE(moved.settled);
  EXPECT_EQ(out.sent[0].first, node(2));
  EXPECT_TRUE(here.queue().empty());

  next.best_wait = seconds(100);
  receive(here, next);
  EXPECT_EQ(out.all<sched::Queued>().size(), 1u) << "60 s are less";
  EXPECT_EQ(here.queue().size(), 1u);
}

TEST_F(SizeAwareWorker, OneThatHasSettledStays) {
  Worker here = worker(1, 1000);
  run(here, reservation(1, seconds(60)));
  sched::Reserve settled = reservation(2, seconds(1));
  settled.settled = true;
  settled.best_node = node(2).id;
  settled.walk.hops_left = 3;
  know_nodes(5);
  receive(here, settled);
  EXPECT_EQ(out.all<sched::Queued>().size(), 1u);
}

TEST_F(SizeAwareWorker, WhatWalksOnKnowsTheBestSoFar) {
  Worker here = worker(1, 1000);
  know_nodes(5);
  run(here, reservation(1, seconds(60)));
  now += seconds(20);
  sched::Reserve walking = reservation(2, seconds(1));
  walking.walk.hops_left = 3;
  receive(here, walking);
  const auto passed = out.only<sched::Reserve>();
  EXPECT_EQ(passed.best_node, node(1).id);
  EXPECT_EQ(passed.best_wait, seconds(40)) << "what runs ends in 40 s";
}

TEST_F(SizeAwareWorker, OneWithLittleLeftIsServedFirst) {
  Worker here = worker(1, 1000);
  const sched::Reserve running = reservation(1, seconds(60));
  run(here, running);
  for (std::uint32_t job : {2u, 3u}) {
    sched::Reserve waits = reservation(job, seconds(10 * job));
    waits.settled = true;
    receive(here, waits);
  }
  auto now_turn = turn();
  const sched::Remaining little{
      .job = {.home = {99}, .number = 3}, .work = seconds(5), .group = 0, .task_time = seconds(5)};
  here.on_message(now_turn, node(98), little);
  EXPECT_EQ(here.queue().waiting()[1].reserve.work, seconds(30)) << "its frontend alone may say so";
  here.on_message(now_turn, node(99), little);
  out.clear();
  const sched::Exit ended{running.job, {.index = 0, .attempt = 1}};
  here.on_exits(now_turn, sched::Surroundings(sched::Surroundings::Nodes{}), std::span(&ended, 1));
  EXPECT_EQ(out.only<sched::GetTask>().job.number, 3u);
}

TEST_F(SizeAwareWorker, TimesBeyondReasonAreCutDown) {
  Worker here = worker(1, 1000);
  know_nodes(5);
  run(here, reservation(1, sched::Duration::max()));
  for (std::uint32_t job = 2; job < 6; ++job) {
    sched::Reserve waits = reservation(job, sched::Duration::max());
    waits.settled = true;
    receive(here, waits);
  }
  sched::Reserve walking = reservation(9, sched::Duration::min());
  walking.work = sched::Duration::max();
  walking.walk.hops_left = 3;
  receive(here, walking);
  const auto passed = out.only<sched::Reserve>();
  EXPECT_EQ(passed.task_time, sched::Duration{0});
  EXPECT_LE(passed.best_wait, 2 * sched::kTaskTimeMax);
}

TEST_F(SizeAwareWorker, LongTasksKeepOutOfTheExpressShare) {
  Worker here = worker(1, 2000, 0.5);
  run(here, reservation(1, seconds(60)));
  receive(here, reservation(2, seconds(60)));
  EXPECT_EQ(out.all<sched::GetTask>().size(), 0u) << "the other CPU is not for this";
  receive(here, reservation(3, seconds(5)));
  EXPECT_EQ(out.all<sched::GetTask>().size(), 1u);
}

// It would wait forever for CPUs that are not for it, and tell its frontend that all is well.
TEST_F(SizeAwareWorker, WhoTurnsOutTooLongForTheNodeIsTurnedAwayThen) {
  Worker here = worker(1, 2000, 0.5);
  sched::Reserve unknown = reservation(1, seconds(0));
  unknown.demand.cpu = 2000;
  run(here, unknown, seconds(60), 1);
  EXPECT_EQ(out.only<sched::Bounced>().reason, sched::BounceReason::express);
  EXPECT_TRUE(here.queue().empty());
}

TEST_F(SizeAwareWorker, WhereAllIsExpressLongTasksAreTurnedAway) {
  // About a tenth of the 200 nodes with one CPU each keep it.
  int kept = 0;
  for (std::uint64_t id = 1; id <= 200; ++id) {
    Worker here = worker(id, 1000, 0.1);
    receive(here, reservation(1, seconds(60)));
    const auto bounced = out.all<sched::Bounced>();
    if (bounced.empty()) continue;
    ++kept;
    EXPECT_EQ(bounced[0].reason, sched::BounceReason::express);
  }
  EXPECT_NEAR(kept, 20, 15) << "binomial, sd 4.2";
}

}  // namespace
}  // namespace dunlin::test
