// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "sched/worker/worker.h"
#include "tests/support/loose_parts.h"
#include "tests/support/solo.h"

// A worker whose tasks are of a job with replicas: it follows the home of the latest epoch.
namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::DoneAck;
using sched::GetTask;
using sched::HomeIs;
using sched::LogReplica;
using sched::Refused;
using sched::Renew;
using sched::Worker;

constexpr std::uint64_t kLog = 7;

class WorkerHomes : public Solo {
 protected:
  static LogReplica replica(std::uint64_t of) { return {.replica = 1000 + of, .node = {of}}; }
  /// The home of `epoch` is `home`, with that standby.
  static HomeIs told(
      std::uint32_t epoch, std::uint64_t version, std::uint64_t home, std::uint64_t other) {
    return {.log = kLog,
        .epoch = epoch,
        .version = version,
        .home = replica(home).replica,
        .set = {replica(home), replica(other)}};
  }
  void receive(const HomeIs& is) {
    auto now_turn = turn();
    worker.on_message(now_turn, node(50), is);
  }
  /// Node 99 as the home of an epoch hands out task 0 of a job.
  void start(std::uint32_t job, std::uint32_t epoch) {
    sched::Reserve reserve = reserve_of(job);
    reserve.log = kLog;
    reserve.epoch = epoch;
    out.clear();
    auto now_turn = turn();
    worker.on_message(now_turn, around(), node(99), reserve);
    hand_out(out.only<GetTask>(), epoch);
  }
  void hand_out(const GetTask& asked, std::uint32_t epoch) {
    sched::Tasks tasks = answer_to(asked, {0});
    tasks.log = kLog;
    tasks.epoch = epoch;
    tasks.version = 1;
    tasks.standbys = {replica(42)};
    auto now_turn = turn();
    worker.on_message(now_turn, node(99), tasks);
  }
  /// Where its next words about running tasks go.
  std::vector<std::uint64_t> renewed_at() {
    out.clear();
    now = worker.deadline();
    auto now_turn = turn();
    worker.wake(now_turn);
    std::vector<std::uint64_t> nodes;
    for (const auto& [to, message] : out.sent) {
      if (std::holds_alternative<Renew>(message)) nodes.push_back(to.id.value);
    }
    return nodes;
  }

  sched::WorkerParams params;
  Worker worker{params, LooseParts::node_of(4000)};
};

TEST_F(WorkerHomes, TasksGoToTheHomeOfTheLatestEpoch) {
  start(1, 1);
  EXPECT_EQ(worker.running().front().frontend.id.value, 99u);
  receive(told(2, 3, 42, 43));
  EXPECT_EQ(worker.running().front().frontend.id.value, 42u);
  EXPECT_EQ(renewed_at(), std::vector<std::uint64_t>{42});
  receive(told(1, 2, 99, 42));
  EXPECT_EQ(worker.running().front().frontend.id.value, 42u) << "an old word";
}

// It would report to a home that acknowledges nothing any more.
TEST_F(WorkerHomes, ADeposedHomeHandsOutNothing) {
  start(1, 1);
  sched::Reserve second = reserve_of(2);
  second.log = kLog;
  second.epoch = 1;
  out.clear();
  {
    auto now_turn = turn();
    worker.on_message(now_turn, around(), node(99), second);
  }
  const GetTask asked = out.only<GetTask>();
  receive(told(2, 3, 42, 43));
  out.clear();
  hand_out(asked, 1);
  EXPECT_EQ(worker.running().size(), 1u);
  EXPECT_EQ(out.only<Refused>().tasks.size(), 1u);
}

// Standbys come and go while a task runs; one that is chosen later may be the home one day.
TEST_F(WorkerHomes, TheStandbysOfASilentHomeAreThoseOfToday) {
  start(1, 1);
  receive(told(1, 2, 99, 44));
  std::vector<std::uint64_t> asked;
  for (int i = 0; i < 20 && asked.size() < 2; ++i) asked = renewed_at();
  EXPECT_EQ(asked, (std::vector<std::uint64_t>{99, 44}));
}

// One task was started by the first home, one by the second, and the worker restarts.
TEST_F(WorkerHomes, TasksThatAreTakenBackFollowTheLatestHome) {
  const auto kept = [](std::uint32_t job, std::uint32_t epoch, std::uint64_t home) {
    return sched::KeptTask{.task = {reserve_of(job).job, 0},
        .frontend = node(home),
        .demand = {.cpu = 1000, .memory = 1, .custom = {}},
        .task_time = 5s,
        .log = {.log = kLog, .epoch = epoch},
        .ended = {}};
  };
  const std::vector<sched::KeptTask> tasks{kept(1, 1, 99), kept(2, 2, 42)};
  auto now_turn = turn();
  worker.take_back(now_turn, 1, tasks);
  for (const auto& running : worker.running()) EXPECT_EQ(running.frontend.id.value, 42u);
}

}  // namespace
}  // namespace dunlin::test
