// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "sched/peer_view.h"
#include "tests/support/builders.h"
#include "tests/support/world.h"

// Defects in Sparrow's implementation (radlab/sparrow at afb8efa), found by reading it; each is a
// test here that Dunlin must pass. All cross the wire.
namespace dunlin::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class SparrowDefect : public ::testing::Test {
 protected:
  /// Node 0 submits and is too small for any task; the workers have `cpus` slots each.
  World& start(std::size_t workers, std::uint32_t cpus, WorldOptions options = {}) {
    world_.emplace(options);
    world_->add({.total = {.cpu = 500, .memory = 8192, .custom = {}}, .attributes = {}});
    world_->add(
        workers, {.total = {.cpu = 1000 * cpus, .memory = 8192, .custom = {}}, .attributes = {}});
    world_->run_for(seconds(10));
    return *world_;
  }
  JobId submit(sched::Job job) { return world_->submit(0, std::move(job)).value(); }
  bool finishes(const JobId& id, Duration limit) {
    return world_->run_until(
        [&] { return sched::frontend_of(world_->peer(0)).find(id)->finished().has_value(); },
        limit);
  }
  bool all_succeeded(const JobId& id) const {
    const auto* job = sched::frontend_of(world_->peer(0)).find(id);
    return job->counts()[sched::TaskState::succeeded] == job->task_count();
  }
  std::size_t queued() const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < world_->size(); ++i) {
      const auto* worker = world_->up(i) ? world_->peer(i).worker() : nullptr;
      if (worker != nullptr) count += worker->queue().size();
    }
    return count;
  }
  void expect_no_slot_is_held() const {
    for (std::size_t i = 0; i < world_->size(); ++i) {
      const auto* worker = world_->up(i) ? world_->peer(i).worker() : nullptr;
      if (worker == nullptr) continue;
      EXPECT_TRUE(worker->slots().free() == worker->slots().total()) << "node " << i + 1;
      EXPECT_TRUE(worker->asking().empty());
    }
    EXPECT_EQ(world_->failure(), "");
  }

  std::optional<World> world_;
};

// 5.5: request ids were compared by reference, so over the wire nothing was ever cancelled.
TEST_F(SparrowDefect, CancellationWorksOverTheWire) {
  WorldOptions options;
  options.params.worker.queue_renew = seconds(30);  // So that nothing but a Cancel empties queues.
  options.params.frontend.queue_lease = seconds(100);
  options.params.frontend.hops_max = 0;
  World& world = start(4, 1, options);
  submit(job(4, lasting(seconds(5))));
  world.run_for(seconds(1));
  const JobId waiting = submit(job(2, lasting(seconds(1))));
  world.run_for(seconds(1));
  ASSERT_GT(queued(), 0u);
  ASSERT_TRUE(world.cancel(0, waiting).has_value());
  world.run_for(milliseconds(100));
  EXPECT_EQ(queued(), 0u);
}

// 5.8: an enqueue that failed was logged only; a job without a living probe hung for ever.
TEST_F(SparrowDefect, ProbesThatAreLostAreSentAgain) {
  World& world = start(4, 1);
  int lost = 0;
  world.filter([&](std::size_t, std::size_t, const AnyMessage& message) {
    return kind_of(message) == "reserve" && lost++ < 20 ? 0u : 1u;
  });
  const JobId id = submit(job(4, lasting(seconds(1))));
  EXPECT_TRUE(finishes(id, seconds(60)));
  EXPECT_GE(lost, 20);
  EXPECT_TRUE(all_succeeded(id));
}

// Its reservations stayed where they fell: a job waited behind the longest task, whoever was idle.
TEST_F(SparrowDefect, WhoWaitsBehindLongTasksUsesANodeThatComes) {
  World& world = start(24, 1);
  submit(job(24, lasting(seconds(1000))));
  world.run_for(seconds(1));
  const JobId id = submit(job(2, lasting(seconds(1))));
  world.run_for(seconds(5));
  ASSERT_GT(queued(), 2u);
  world.add({.total = {.cpu = 1000, .memory = 8192, .custom = {}}, .attributes = {}});
  EXPECT_TRUE(finishes(id, seconds(30)));
  EXPECT_TRUE(all_succeeded(id));
}

// 5.8: a getTask that threw was treated as an empty answer: the task was lost with it.
TEST_F(SparrowDefect, AnswersThatAreLostLoseNoTask) {
  World& world = start(4, 1);
  int lost = 0;
  world.filter([&](std::size_t, std::size_t, const AnyMessage& message) {
    return kind_of(message) == "tasks" && lost++ < 12 ? 0u : 1u;
  });
  const JobId id = submit(job(4, lasting(seconds(1))));
  EXPECT_TRUE(finishes(id, seconds(60)));
  EXPECT_TRUE(all_succeeded(id));
  expect_no_slot_is_held();
}

// 5.8: when a node monitor died its tasks and reservations were gone: no timeout, no retry.
TEST_F(SparrowDefect, TasksOfADeadWorkerRunElsewhere) {
  World& world = start(4, 2);
  const JobId id = submit(job(8, lasting(seconds(5))));
  world.run_for(seconds(1));
  world.crash(1);
  world.crash(2);
  EXPECT_TRUE(finishes(id, seconds(60)));
  EXPECT_TRUE(all_succeeded(id));
  EXPECT_GE(world.store(0).attempts_forgiven(id), 1u);
}

// 5.8: a launch that failed leaked its slot for ever, and the task was lost.
TEST_F(SparrowDefect, FailedStartGivesItsSlotBackAndIsMadeAgain) {
  WorldOptions options;
  options.executor.spawn_failure = 0.2;
  World& world = start(4, 2, options);
  const JobId id = submit(job(40, lasting(milliseconds(100))));
  EXPECT_TRUE(finishes(id, seconds(60)));
  EXPECT_GT(world.store(0).attempts_forgiven(id), 0u);
  world.run_for(seconds(30));
  expect_no_slot_is_held();
}

// 5.8: a scheduler that died took its jobs along.
TEST_F(SparrowDefect, JobsSurviveTheirScheduler) {
  World& world = start(4, 1);
  const JobId id = submit(job(12, lasting(seconds(2))));
  world.run_for(seconds(3));
  world.crash(0);
  world.run_for(seconds(1));
  world.restart(0);
  EXPECT_TRUE(finishes(id, seconds(60)));
  EXPECT_TRUE(all_succeeded(id));
  EXPECT_EQ(world.store(0).finals(id), 12u);
}

// 5.8: after a restart of the scheduler, workers kept a broken connection for ever. Reservations
// that waited at workers must not jam their queues either.
TEST_F(SparrowDefect, ReservationsOfADeadSchedulerLeaveTheQueues) {
  WorldOptions options;
  options.params.frontend.hops_max = 0;
  World& world = start(2, 1, options);
  submit(job(2, lasting(seconds(5))));
  world.run_for(seconds(1));
  submit(job(2, lasting(seconds(5))));
  world.run_for(seconds(1));
  ASSERT_GT(queued(), 0u);
  world.crash(0);
  world.run_for(std::chrono::minutes(5));
  EXPECT_EQ(queued(), 0u);
  expect_no_slot_is_held();
}

// 5.2, 5.9 item 4: one getTask fetched one task; here one asks for all that fit.
TEST_F(SparrowDefect, OneGetTaskFetchesAllThatFit) {
  World& world = start(1, 8);
  int asked = 0;
  world.filter([&](std::size_t, std::size_t, const AnyMessage& message) {
    asked += kind_of(message) == "get_task" ? 1 : 0;
    return 1u;
  });
  const JobId id = submit(job(8, lasting(seconds(1))));
  EXPECT_TRUE(finishes(id, seconds(10)));
  EXPECT_EQ(asked, 1);
}

// 5.9 item 5: the enqueue told nothing about the queue; here every reply carries the load.
TEST_F(SparrowDefect, QueuedTellsHowManyAreAhead) {
  WorldOptions options;
  options.params.frontend.hops_max = 0;
  World& world = start(1, 1, options);
  std::vector<std::uint32_t> ahead;
  std::vector<std::uint32_t> cpu_free;
  world.filter([&](std::size_t, std::size_t, const AnyMessage& message) {
    if (const auto* sched = std::get_if<sched::Message>(&message)) {
      if (const auto* queued = std::get_if<sched::Queued>(sched)) {
        ahead.push_back(queued->ahead);
        cpu_free.push_back(queued->load.cpu_free);
      }
    }
    return 1u;
  });
  for (int i = 0; i < 3; ++i) {
    submit(job(1, lasting(seconds(2))));
    world.run_for(milliseconds(100));
  }
  EXPECT_EQ(ahead, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(cpu_free, (std::vector<std::uint32_t>{0, 0}));
}

// 5.6: priorities were strict, so a stream of urgent tasks starved the others for ever. One point
// of priority per 50 ms of waiting: what comes 4 s after the humble task, 80 points above it, is
// behind it, and the eight that came before take 8 s.
TEST_F(SparrowDefect, AgeingEndsStarvation) {
  const auto humble_finishes = [&](Duration ageing) {
    WorldOptions options;
    options.params.worker.discipline = sched::DisciplineName::priority;
    options.params.worker.ageing = ageing;
    World& world = start(1, 1, options);
    submit(job(1, lasting(seconds(1))));
    sched::Job humble = job(1, lasting(seconds(1)));
    humble.groups[0].priority = 10;
    const JobId id = submit(std::move(humble));
    for (int i = 0; i < 60; ++i) {
      world.at(world.now() + milliseconds(500 * i), [&] {
        sched::Job urgent = job(1, lasting(seconds(1)));
        urgent.groups[0].priority = 90;
        submit(std::move(urgent));
      });
    }
    return finishes(id, seconds(20));
  };
  EXPECT_TRUE(humble_finishes(milliseconds(50)));
  EXPECT_FALSE(humble_finishes(std::chrono::hours(1))) << "nothing was ever in its way";
}

// 5.9 item 7: constrained tasks were probed one by one; here a group shares one pool of probes.
TEST_F(SparrowDefect, ConstrainedTasksShareTheirProbes) {
  WorldOptions options;
  options.params.frontend.placement = sched::PlacementName::random;
  world_.emplace(options);
  world_->add({.total = {.cpu = 500, .memory = 8192, .custom = {}}, .attributes = {}});
  world_->add(10, {.attributes = {{"disk", "ssd"}}});
  world_->add(10, {.attributes = {{"disk", "hdd"}}});
  world_->run_for(seconds(20));
  int sent = 0;
  world_->on_event = [&](std::size_t, const sched::Event& event) {
    sent += std::holds_alternative<sched::ProbeSent>(event) ? 1 : 0;
  };
  sched::Job job = test::job(8, lasting(seconds(1)));
  job.groups[0].constraints.push_back({"disk", sched::Comparison::equal, "ssd"});
  const JobId id = submit(std::move(job));
  EXPECT_EQ(sent, 16);
  EXPECT_TRUE(finishes(id, seconds(20)));
  for (std::size_t i = 11; i <= 20; ++i) EXPECT_EQ(world_->executor(i).started(), 0u) << i;
}

// 5.9 item 8: slots were all that was counted; memory and custom resources bind here too.
TEST_F(SparrowDefect, MemoryBindsAsMuchAsSlots) {
  World& world = start(1, 8);
  sched::Job fat = job(4, lasting(seconds(1)));
  fat.groups[0].demand.memory = 5000;
  const JobId id = submit(std::move(fat));
  std::size_t peak = 0;
  EXPECT_TRUE(world.run_until(
      [&] {
        peak = std::max(peak, world.executor(1).running());
        return sched::frontend_of(world.peer(0)).find(id)->finished().has_value();
      },
      seconds(60)));
  EXPECT_EQ(peak, 1u);
}

// 5.2: the map from requests to schedulers was never pruned: a finished job must leave nothing.
TEST_F(SparrowDefect, FinishedJobsLeaveNothingBehind) {
  World& world = start(4, 2);
  const JobId id = submit(job(50, lasting(milliseconds(300))));
  EXPECT_TRUE(finishes(id, seconds(60)));
  world.run_for(seconds(20));
  EXPECT_EQ(queued(), 0u);
  for (std::size_t i = 0; i < world.size(); ++i) {
    const auto* worker = world.peer(i).worker();
    EXPECT_TRUE(worker == nullptr || worker->outbox().items().empty());
  }
  const sched::Frontend& frontend = sched::frontend_of(world.peer(0));
  EXPECT_TRUE(frontend.probes(*frontend.find(id), 0).empty());
  expect_no_slot_is_held();
}

}  // namespace
}  // namespace dunlin::test
