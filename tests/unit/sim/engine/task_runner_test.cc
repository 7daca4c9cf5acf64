// SPDX-License-Identifier: MIT
#include "sim/engine/task_runner.h"

#include <gmock/gmock.h>
#include <ns3/simulator.h>
#include <utility>
#include <vector>

#include "sim/clock.h"
#include "sim/workload/workload.h"
#include "tests/unit/sim/engine/two_members.h"
#include "tests/unit/sim/equal_machines.h"

namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;
using overlay::Duration;
using ::testing::ElementsAre;
using ::testing::FieldsAre;

class TaskRunnerTest : public TwoMembers {
 protected:
  /// At `when` it is the turn of `peer`.
  void in_turn(std::uint32_t peer, Duration when, std::function<void()> act) {
    ns3::Simulator::ScheduleWithContext(peer, to_ns3(when), [this, peer, act = std::move(act)] {
      members.acting = peer;
      members.now = now();
      act();
    });
  }
  static sched::Launch task(std::uint32_t index, Duration duration) {
    sched::Launch launch;
    launch.task = {.job = {.home = {1}, .number = 1}, .index = index};
    launch.demand = {.cpu = 1000, .memory = 0, .custom = {}};
    launch.spec = duration_bytes(duration);
    return launch;
  }

  struct Ended {
    std::uint32_t peer = 0;
    Duration at{0};
    std::vector<std::uint32_t> tasks;
    std::vector<std::int32_t> statuses;
  };
  Recorder recorder{{.from = Time{0s}, .until = Time{100s}}, equal_machines(2, 1000)};
  std::vector<Ended> ended;
  TaskRunner runner{
      members, recorder, [this](std::uint32_t peer, std::span<const sched::Exit> exits) {
        Ended& each = ended.emplace_back(Ended{peer, now().time_since_epoch(), {}, {}});
        for (const sched::Exit& exit : exits) {
          each.tasks.push_back(exit.report.index);
          each.statuses.push_back(exit.report.status);
        }
      }};
};

// On 1 CPU and 100 MiB/s: while both read all there is, each gets half.
TEST_F(TaskRunnerTest, TasksContend) {
  ClusterParams params;
  params.contention_loss = 0;
  const Machine machine{
      .total = {.cpu = 4000, .memory = 0, .custom = {}, .disk_read = 100}, .attributes = {}};
  ResourceMeter meter(std::vector<Machine>(2, machine), Duration{0});
  runner.contend(params, meter);
  runner.add(0, machine);
  runner.add(1, machine);
  runner.ready();
  const auto reads = [](std::uint32_t index, Duration duration) {
    sched::Launch launch = task(index, duration);
    launch.demand.disk_read = 100;
    return launch;
  };
  in_turn(1, 1s, [&] { runner.start(reads(0, 4s)); });
  in_turn(1, 3s, [&] { runner.start(reads(1, 1s)); });
  in_turn(0, 3s, [&] { runner.start(reads(2, 1s)); });
  ns3::Simulator::Run();
  EXPECT_THAT(ended,
      ElementsAre(FieldsAre(0, 4s, ElementsAre(2), ElementsAre(0)),
          FieldsAre(1, 5s, ElementsAre(1), ElementsAre(0)),
          FieldsAre(1, 6s, ElementsAre(0), ElementsAre(0))));
  EXPECT_GT(meter.result().mean.over[2], 0);
}

// On every second machine, from 2 s to 4 s, half of all rates is gone.
TEST_F(TaskRunnerTest, SomethingElseTakesRatesOfSomeMachines) {
  ClusterParams params;
  params.contention_loss = 0;
  params.background_share = 0.5;
  params.background_from = 2s;
  params.background_until = 4s;
  const Machine machine{
      .total = {.cpu = 4000, .memory = 0, .custom = {}, .disk_read = 100}, .attributes = {}};
  ResourceMeter meter(std::vector<Machine>(2, machine), Duration{0});
  runner.contend(params, meter);
  runner.add(0, machine);
  runner.add(1, machine);
  runner.ready();
  sched::Launch reads = task(0, 4s);
  reads.demand.disk_read = 100;
  in_turn(0, 1s, [&] { runner.start(reads); });
  in_turn(1, 1s, [&] { runner.start(reads); });
  ns3::Simulator::Run();
  EXPECT_THAT(ended,
      ElementsAre(FieldsAre(0, 5s, ElementsAre(0), ElementsAre(0)),
          FieldsAre(1, 6s, ElementsAre(0), ElementsAre(0))));
}

TEST_F(TaskRunnerTest, TasksTakeAsLongAsTheySay) {
  in_turn(1, 1s, [&] {
    runner.start(task(0, 3s));
    runner.start(task(1, 2s));
  });
  ns3::Simulator::Run();
  EXPECT_THAT(ended,
      ElementsAre(FieldsAre(1, 3s, ElementsAre(1), ElementsAre(0)),
          FieldsAre(1, 4s, ElementsAre(0), ElementsAre(0))));
  EXPECT_DOUBLE_EQ(recorder.nodes()->min_per_s, 0);
  EXPECT_DOUBLE_EQ(recorder.nodes()->max_per_s, 2 / 100.0);
  EXPECT_DOUBLE_EQ(recorder.nodes()->load_balance.value(), 0.5) << "one of two had all there was";
}

TEST_F(TaskRunnerTest, TasksThatEndTogetherAreToldInOneCall) {
  in_turn(0, 1s, [&] {
    for (std::uint32_t i = 0; i < 3; ++i) runner.start(task(i, 2s));
  });
  ns3::Simulator::Run();
  EXPECT_THAT(ended, ElementsAre(FieldsAre(0, 3s, ElementsAre(0, 1, 2), ElementsAre(0, 0, 0))));
}

TEST_F(TaskRunnerTest, AKilledTaskDiesALittleLaterAndOnlyOnce) {
  in_turn(0, 1s, [&] { runner.start(task(0, 60s)); });
  in_turn(0, 2s, [&] {
    runner.kill({.job = {.home = {1}, .number = 1}, .index = 0}, 2, sched::Outcome::killed);
    runner.kill({.job = {.home = {1}, .number = 1}, .index = 0}, 1, sched::Outcome::killed);
    runner.kill({.job = {.home = {1}, .number = 1}, .index = 0}, 1, sched::Outcome::time_limit);
  });
  ns3::Simulator::Run();
  EXPECT_THAT(ended, ElementsAre(FieldsAre(0, 2010ms, ElementsAre(0), ElementsAre(15))));
  EXPECT_EQ(recorder.nodes()->max_per_s, 0) << "what was stopped was not served";
}

TEST_F(TaskRunnerTest, NobodyHearsOfWhatACrashEnds) {
  in_turn(0, 1s, [&] { runner.start(task(0, 10s)); });
  in_turn(1, 1s, [&] { runner.start(task(1, 10s)); });
  in_turn(0, 5s, [&] { runner.crash(0); });
  ns3::Simulator::Run();
  EXPECT_THAT(ended, ElementsAre(FieldsAre(1, 11s, ElementsAre(1), ElementsAre(0))));
  EXPECT_NEAR(recorder.utilisation().value(), (4 + 10) / 200.0, 1e-9)
      << "its work counts all the same";
}

TEST_F(TaskRunnerTest, WhatStillRunsInTheEndIsWorkToo) {
  in_turn(0, 10s, [&] { runner.start(task(0, 1000s)); });
  ns3::Simulator::Stop(to_ns3(30s));
  ns3::Simulator::Run();
  runner.settle();
  EXPECT_TRUE(ended.empty());
  EXPECT_NEAR(recorder.utilisation().value(), 20 / 200.0, 1e-9);
}

}  // namespace
}  // namespace dunlin::sim
