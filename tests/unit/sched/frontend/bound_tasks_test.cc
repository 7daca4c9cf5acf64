// SPDX-License-Identifier: MIT
#include "sched/frontend/bound_tasks.h"

#include <algorithm>

#include "tests/support/own_job.h"

namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::Attempt;
using sched::JobState;
using sched::Kill;

class BoundTasks : public OwnJob {
 protected:
  BoundTasks() { store.put_job(job.job()); }

  Attempt bind(std::uint64_t worker = 7) { return *job.bind(0, node(worker), 1, now); }
  void report(const Attempt& of, std::int32_t status, std::uint64_t worker = 7) {
    auto now_turn = turn();
    sched::record(now_turn, job, node(worker).id,
        {.index = of.index, .attempt = of.attempt, .status = status});
    commit();
  }
  void renew(const std::vector<Attempt>& running,
      JobState* of,
      std::uint64_t worker = 7,
      sched::Duration away = 0s) {
    out.clear();
    sched::Renew renewed{.job = job.id(), .incarnation = 1, .tasks = {}, .load = {}, .away = away};
    for (const Attempt& each : running) renewed.tasks.push_back(each);
    auto now_turn = turn();
    sched::renew(now_turn, of, node(worker), renewed);
  }
  void commit() {
    store.commit(store.take_turn());
    EXPECT_EQ(store.violation(), "");
  }
  sched::TaskState state(std::uint32_t index = 0) const { return job.task(index).state; }

  JobState job = submitted(4);
};

TEST_F(BoundTasks, AReportIsStoredOnce) {
  const Attempt task = bind();
  report(task, 0);
  report(task, 0);
  EXPECT_EQ(store.finals(job.id()), 1u);
  EXPECT_EQ(seen<sched::TaskEnded>(), 1u);
}

TEST_F(BoundTasks, TheAttemptThatRunsInVainIsKilled) {
  const Attempt first = bind();
  now += 10s;
  auto now_turn = turn();
  EXPECT_TRUE(lose_expired(now_turn, job, 5s));
  const Attempt second = bind(8);
  report(first, 0);
  EXPECT_EQ(out.sent.back().first, node(8));
  EXPECT_EQ(out.only<Kill>().tasks[0], second);
}

TEST_F(BoundTasks, WhatALaterIncarnationDoesNotConfirmSoonHadNotStarted) {
  const Attempt kept = bind();
  bind();
  bind(8);
  sched::WorkerIncarnations workers;
  workers.note(now, {7}, 1, 1);
  workers.note(now, {8}, 1, 1);
  now += 1s;
  workers.note(now, {7}, 2, 1);
  job.confirm(kept, {.worker = node(7), .incarnation = 2}, now);
  auto at_once = turn();
  EXPECT_FALSE(lose_unstarted(at_once, job, workers, 3s)) << "its word may be on its way";
  now += 3s;
  auto later = turn();
  EXPECT_TRUE(lose_unstarted(later, job, workers, 3s));
  commit();
  EXPECT_EQ(state(0), sched::TaskState::launched) << "it was taken back";
  EXPECT_EQ(state(1), sched::TaskState::waiting);
  EXPECT_EQ(state(2), sched::TaskState::launched) << "another worker's";
}

TEST_F(BoundTasks, OnlyLeasesThatEndedAreLost) {
  const Attempt first = bind();
  bind();
  now += 5s;
  job.confirm(first, {node(7)}, now);
  auto now_turn = turn();
  EXPECT_FALSE(lose_expired(now_turn, job, 5s));
  now += 1ns;
  auto later = turn();
  EXPECT_TRUE(lose_expired(later, job, 5s));
  commit();
  EXPECT_EQ(state(0), sched::TaskState::launched);
  EXPECT_EQ(state(1), sched::TaskState::waiting);
  EXPECT_EQ(seen<sched::TaskLost>(), 1u);
  EXPECT_EQ(store.attempts_forgiven(job.id()), 1u);
}

TEST_F(BoundTasks, AWorkerThatRestartsHasLongerLeasesUntilItsNextWord) {
  const Attempt first = bind();
  bind(8);
  renew({first}, &job, 7, 30s);
  const auto loses = [&](sched::Duration after) {
    now += after;
    auto now_turn = turn();
    return lose_expired(now_turn, job, 5s);
  };
  EXPECT_TRUE(loses(6s)) << "the worker 8 said nothing";
  EXPECT_FALSE(loses(29s));
  EXPECT_EQ(state(0), sched::TaskState::launched);
  renew({first}, &job);
  EXPECT_FALSE(loses(5s));
  EXPECT_TRUE(loses(1s)) << "it is back, and its leases are as all are";
}

TEST_F(BoundTasks, AWorkerThatStaysAwayLosesItsTask) {
  renew({bind()}, &job, 7, 30s);
  now += 35s + 1ns;
  auto now_turn = turn();
  EXPECT_TRUE(lose_expired(now_turn, job, 5s));
  EXPECT_EQ(seen<sched::TaskLost>(), 1u);
}

TEST_F(BoundTasks, WhatAGoneWorkerHadIsLost) {
  bind(7);
  bind(8);
  auto now_turn = turn();
  lose_at(now_turn, job, {7});
  EXPECT_EQ(state(0), sched::TaskState::waiting);
  EXPECT_EQ(state(1), sched::TaskState::launched);
}

TEST_F(BoundTasks, WhatIsGivenBackIsStoredAsLost) {
  sched::Refused refused{.job = job.id(), .request = 1, .tasks = {}};
  refused.tasks.push_back(bind());
  refused.tasks.push_back({3, 1});
  auto now_turn = turn();
  take_back(now_turn, job, node(7), refused);
  commit();
  EXPECT_EQ(store.attempts_forgiven(job.id()), 1u) << "the other was never bound there";
  EXPECT_EQ(seen<sched::TaskLost>(), 0u) << "no worker was lost";
}

TEST_F(BoundTasks, ARenewalIsAnsweredAndKillsWhatShouldNotRun) {
  const Attempt task = bind();
  renew({task}, &job);
  EXPECT_TRUE(out.all<Kill>().empty());
  EXPECT_EQ(out.all<sched::RenewAck>().size(), 1u);
  renew({task, {2, 1}, {9, 1}}, &job);
  EXPECT_EQ(out.only<Kill>().tasks.size(), 2u);
  renew({task}, nullptr);
  EXPECT_EQ(out.only<Kill>().tasks.size(), 1u) << "the job is not known";
  EXPECT_EQ(out.all<sched::RenewAck>().size(), 1u);
}

TEST_F(BoundTasks, ARenewalBringsALostAttemptBack) {
  const Attempt task = bind();
  auto now_turn = turn();
  lose_at(now_turn, job, {7});
  renew({task}, &job);
  EXPECT_TRUE(out.all<Kill>().empty());
  EXPECT_EQ(seen<sched::TaskAdopted>(), 1u);
  EXPECT_EQ(state(), sched::TaskState::launched);
}

TEST_F(BoundTasks, CancelledTasksAreStoppedWhereTheyRun) {
  const Attempt here = bind(7);
  bind(8);
  const Attempt there = bind(7);
  auto now_turn = turn();
  cancel(now_turn, job, std::vector<std::uint32_t>{0, 2, 3});
  commit();
  const auto kill = out.only<Kill>();
  ASSERT_EQ(kill.tasks.size(), 2u) << "one message for each worker";
  EXPECT_EQ(kill.tasks[0], here);
  EXPECT_EQ(kill.tasks[1], there);
  EXPECT_EQ(store.finals(job.id()), 1u) << "the one that waited";
  EXPECT_EQ(state(1), sched::TaskState::launched);
  auto again = turn();
  cancel(again, job, std::vector<std::uint32_t>{0});
  EXPECT_EQ(out.all<Kill>().size(), 1u) << "it was told before";
}

TEST_F(BoundTasks, RequeuedTasksAreStoppedWhereTheyRunUntilTheyEnd) {
  const Attempt here = bind(7);
  const Attempt other = bind(7);
  auto now_turn = turn();
  EXPECT_EQ(requeue(now_turn, job, std::vector<std::uint32_t>{0, 3}), 1u) << "task 3 waits";
  Kill kill = out.only<Kill>();
  EXPECT_TRUE(kill.requeue);
  EXPECT_EQ(kill.tasks, decltype(kill.tasks){here});
  renew({here, other}, &job);
  kill = out.only<Kill>();
  EXPECT_TRUE(kill.requeue);
  EXPECT_EQ(kill.tasks, decltype(kill.tasks){here}) << "the first word may have been lost";
}

TEST_F(BoundTasks, ACancelledJobIsStoredAsAWhole) {
  bind();
  auto now_turn = turn();
  cancel_all(now_turn, job, sched::CancelledBy::user);
  commit();
  EXPECT_EQ(out.all<Kill>().size(), 1u);
  EXPECT_EQ(store.finals(job.id()), 0u);
  EXPECT_TRUE(store.load().at(0).progress.cancelled);
}

}  // namespace
}  // namespace dunlin::test
