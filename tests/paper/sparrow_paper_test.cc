// SPDX-License-Identifier: MIT
#include <algorithm>
#include <gtest/gtest.h>
#include <set>

#include "sched/frontend/frontend.h"
#include "sched/worker/worker.h"
#include "tests/support/builders.h"
#include "tests/support/solo.h"

// Sparrow: Distributed, Low Latency Scheduling (Ousterhout, Wendell, Zaharia, Stoica; SOSP 2013),
// claim by claim. Where its implementation falls short: sparrow_defects_test.cc.
namespace dunlin::test {
namespace {

using sched::Frontend;
using sched::Worker;
using std::chrono::milliseconds;
using std::chrono::seconds;

class SparrowFrontend : public Solo {
 protected:
  /// A frontend at node 99 that has just accepted `job`.
  Frontend submitted(sched::Job job, const sched::FrontendParams& params = {}) {
    Frontend frontend(params, node(99));
    job.id = frontend.next_job(1);
    auto now_turn = turn();
    frontend.submit(now_turn, around(), std::move(job));
    return frontend;
  }
  /// Worker `from` asks for the task that `reserve` is a right to.
  std::vector<sched::Assignment> ask(
      Frontend& frontend, std::uint64_t from, const sched::Reserve& reserve, std::uint16_t room) {
    out.clear();
    auto now_turn = turn();
    frontend.on_message(now_turn, around(), node(from),
        sched::GetTask{.job = reserve.job,
            .group = reserve.group,
            .probe = reserve.probe,
            .request = static_cast<std::uint32_t>(from),
            .incarnation = 1,
            .room = room});
    return out.only<sched::Tasks>().tasks;
  }
};

// Section 3.2: "batch sampling ... places the m tasks in a job on the least loaded of d * m
// randomly selected worker machines": d * m reservations, each on another machine.
TEST_F(SparrowFrontend, BatchSamplingProbesRatioTimesTasks) {
  know_nodes(40);
  submitted(job(10), {.placement = sched::PlacementName::random, .probe_ratio = 2});
  EXPECT_EQ(out.all<sched::Reserve>().size(), 20u);
  std::set<std::uint64_t> machines;
  for (const auto& [to, message] : out.sent) machines.insert(to.id.value);
  EXPECT_EQ(machines.size(), 20u);
}

// The same for a ratio that is no whole number: ceil(1.05 * 10) (the ratio of Sparrow's code).
TEST_F(SparrowFrontend, RatioIsRoundedUp) {
  know_nodes(40);
  submitted(job(10), {.placement = sched::PlacementName::random, .probe_ratio = 1.05});
  EXPECT_EQ(out.all<sched::Reserve>().size(), 11u);
}

// Section 3.2: the machines are chosen at random: over many jobs each is chosen about equally
// often.
TEST_F(SparrowFrontend, ProbesAreUniform) {
  know_nodes(20);
  Frontend frontend({.placement = sched::PlacementName::random, .probe_ratio = 2}, node(99));
  std::array<int, 21> chosen{};
  for (int i = 0; i < 2000; ++i) {
    sched::Job one = job(1);
    one.id = frontend.next_job(1);
    out.clear();
    auto now_turn = turn();
    frontend.submit(now_turn, around(), std::move(one));
    for (const auto& [to, message] : out.sent) ++chosen[to.id.value];
  }
  // 4,000 probes over 20 nodes: 200 each, sd 13.8 (binomial); 5 sd either way.
  for (std::size_t id = 1; id <= 20; ++id) EXPECT_NEAR(chosen[id], 200, 70) << id;
}

// Section 3.3: "the first m reservations to reach the front of the queue are given tasks", whoever
// they are; the others learn that there is none.
TEST_F(SparrowFrontend, LateBindingServesFirstAskers) {
  know_nodes(10);
  Frontend frontend =
      submitted(job(2), {.placement = sched::PlacementName::random, .probe_ratio = 2});
  const auto reservations = out.all<sched::Reserve>();
  ASSERT_EQ(reservations.size(), 4u);
  EXPECT_EQ(ask(frontend, 3, reservations[3], 1).size(), 1u);
  EXPECT_EQ(ask(frontend, 7, reservations[0], 1).size(), 1u);
  EXPECT_TRUE(ask(frontend, 5, reservations[1], 1).empty());
  EXPECT_TRUE(ask(frontend, 6, reservations[2], 1).empty());
}

// Section 3.3: a reservation is no task: nothing of what is to run travels with it.
TEST_F(SparrowFrontend, ReservationsCarryNoTask) {
  know_nodes(4);
  submitted(job(4));
  for (const auto& [to, message] : out.sent) {
    EXPECT_FALSE(std::holds_alternative<sched::Tasks>(message));
  }
}

// Section 3.4: when all tasks are handed out, the reservations that still wait are cancelled.
TEST_F(SparrowFrontend, ProactiveCancellationOfWhatStillWaits) {
  know_nodes(10);
  Frontend frontend =
      submitted(job(1), {.placement = sched::PlacementName::random, .probe_ratio = 2});
  const auto reservations = out.all<sched::Reserve>();
  ASSERT_EQ(reservations.size(), 2u);
  auto now_turn = turn();
  frontend.on_message(now_turn, around(), node(4),
      sched::Queued{.job = reservations[1].job, .group = 0, .probe = reservations[1].probe});
  ask(frontend, 8, reservations[0], 1);
  const auto cancel = out.only<sched::Cancel>();
  EXPECT_EQ(cancel.job, reservations[1].job);
  const auto to = std::ranges::find_if(out.sent,
      [](const auto& sent) { return std::holds_alternative<sched::Cancel>(sent.second); });
  EXPECT_EQ(to->first.id, node(4).id);
}

class SparrowWorker : public Solo {
 protected:
  Worker worker(sched::DisciplineName discipline, std::uint32_t cpu = 1000) const {
    sched::NodeSpec spec;
    spec.endpoint = node(1);
    spec.total = {.cpu = cpu, .memory = 8192, .custom = {}};
    sched::WorkerParams params;
    params.discipline = discipline;
    params.ageing = std::chrono::hours(1);
    return Worker(params, spec);
  }
  sched::Reserve reservation(std::uint32_t job, std::int16_t priority = 50) const {
    sched::Reserve reserve;
    reserve.job = {.home = {99}, .number = job};
    reserve.probe = 1;
    reserve.frontend = node(99).address;
    reserve.demand = {.cpu = 1000, .memory = 100, .custom = {}};
    reserve.priority = priority;
    reserve.tasks_max = 1;
    return reserve;  // No hops: it stays where it arrives.
  }
  void bring(Worker& worker, const sched::Reserve& reserve) {
    auto now_turn = turn();
    worker.on_message(now_turn, around(), node(99), reserve);
    now += milliseconds(1);
  }
  void answer(Worker& worker, const sched::GetTask& asked, std::uint32_t tasks) {
    sched::Tasks answer{.job = asked.job, .group = 0, .probe = asked.probe};
    answer.request = asked.request;
    answer.spec = lasting(seconds(1)).spec();
    for (std::uint32_t i = 0; i < tasks; ++i) answer.tasks.push_back({.index = i, .attempt = 1});
    out.clear();
    auto now_turn = turn();
    worker.on_message(now_turn, node(99), answer);
  }
  /// Lets all that runs end, one after the other, and answers what is asked for: the jobs in the
  /// order in which they were served.
  std::vector<std::uint32_t> served(Worker& worker, sched::GetTask first, std::size_t count) {
    std::vector<std::uint32_t> order;
    for (sched::GetTask asked = first; order.size() < count;) {
      order.push_back(asked.job.number);
      answer(worker, asked, 1);
      now = executor.next();
      out.clear();
      auto now_turn = turn();
      worker.on_exits(
          now_turn, sched::Surroundings(sched::Surroundings::Nodes{}), executor.take_ended(now));
      if (order.size() < count) asked = out.only<sched::GetTask>();
    }
    return order;
  }
};

// Section 3.3: a worker with a free slot asks for a task at once; one without queues the
// reservation.
TEST_F(SparrowWorker, AsksWhenItCouldRunAndQueuesWhenItCannot) {
  Worker one = worker(sched::DisciplineName::fifo);
  bring(one, reservation(1));
  EXPECT_EQ(out.all<sched::GetTask>().size(), 1u);
  bring(one, reservation(2));
  EXPECT_EQ(out.all<sched::GetTask>().size(), 1u);
  EXPECT_EQ(out.only<sched::Queued>().job.number, 2u);
  EXPECT_EQ(one.queue().size(), 1u);
}

// Section 3.3: "if the scheduler has no more tasks, it responds with a no-op": on to the next one.
TEST_F(SparrowWorker, EmptyAnswerMovesTheSlotOn) {
  Worker one = worker(sched::DisciplineName::fifo);
  bring(one, reservation(1));
  bring(one, reservation(2));
  answer(one, out.only<sched::GetTask>(), 0);
  EXPECT_EQ(out.only<sched::GetTask>().job.number, 2u);
  EXPECT_TRUE(one.running().empty());
}

// Section 4.2: without policies, workers serve first come first served.
TEST_F(SparrowWorker, FifoServesInOrder) {
  Worker one = worker(sched::DisciplineName::fifo);
  for (std::uint32_t job = 1; job <= 4; ++job) {
    bring(one, reservation(job, static_cast<std::int16_t>(10 * job)));
  }
  EXPECT_EQ(served(one, out.only<sched::GetTask>(), 4), (std::vector<std::uint32_t>{1, 2, 3, 4}));
}

// Section 4.2: strict priorities by the order in which a worker serves its queue.
TEST_F(SparrowWorker, PriorityServesTheLargestFirst) {
  Worker one = worker(sched::DisciplineName::priority);
  bring(one, reservation(1, 50));
  bring(one, reservation(2, 10));
  bring(one, reservation(3, 90));
  bring(one, reservation(4, 60));
  EXPECT_EQ(served(one, out.only<sched::GetTask>(), 4), (std::vector<std::uint32_t>{1, 3, 4, 2}));
}

}  // namespace
}  // namespace dunlin::test
