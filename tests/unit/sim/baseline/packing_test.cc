// SPDX-License-Identifier: MIT
#include <deque>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sched/inputs/input_rates.h"
#include "sched/inputs/input_text.h"
#include "sim/engine/simulation.h"
#include "sim/measure/whole_jobs.h"
#include "sim/workload/workload.h"

// The masters that deal out machines, on the slides' examples: Grandl 2014. Each task runs for one
// t. Times are those of the slides, but for the messages and the heartbeats between two tasks.
namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;

constexpr Duration kT = 100s;

struct Kind {
  std::uint32_t count = 1;
  sched::Resources demand;
  std::optional<std::uint32_t> at{};  ///< The machine that has the inputs.
};

/// Jobs that a test lists, each by its groups; all there at once.
class ListedJobs final : public Workload {
 public:
  void add(const std::vector<Kind>& groups, bool staged = false) {
    Submission& submission = jobs_.emplace_back();
    submission.at = Time{1s};
    submission.facts.key = submission.facts.whole = jobs_.size();
    submission.facts.mean = submission.facts.longest = kT;
    for (const Kind& each : groups) {
      sched::TaskGroup& group = submission.job.groups.emplace_back();
      group.count = each.count;
      group.demand = each.demand;
      group.duration = kT;
      group.spec = duration_bytes(kT);
      if (!each.at) continue;
      sched::InputsBuilder inputs;
      EXPECT_TRUE(inputs.add("1M@m"));
      group.inputs = inputs.take();
      group.inputs.nodes[0].id = {*each.at + 1};
      settle_input_rates(group);
    }
    if (staged) submission.job.groups.back().after = {0};
  }
  std::optional<Submission> next() override {
    if (jobs_.empty()) return std::nullopt;
    Submission first = std::move(jobs_.front());
    jobs_.pop_front();
    return first;
  }
  std::uint64_t left_out() const override { return 0; }

 private:
  std::deque<Submission> jobs_;
};

sched::Resources amounts(std::uint32_t cores, std::uint32_t gigabytes, std::uint32_t network = 0) {
  return {.cpu = cores * 1000, .memory = gigabytes * 1024, .custom = {}, .net_in = network * 1024};
}

class PackingBaselines : public ::testing::Test {
 protected:
  PackingBaselines() {
    scenario.simulation = {.seed = 1, .duration = 1h, .warm_up = 0s, .drain = 1h};
    scenario.network = {.latency_spread = Spread::constant, .latency = 1ms};
    scenario.workload.kind = WorkloadKind::mapreduce;
    scenario.workload.first_job = 1s;
    scenario.baseline.heartbeat = 10ms;
    scenario.cluster.contention_loss = 0;
    scenario.peer.worker.fairness = 0;
  }
  void set_machines(std::uint32_t count, const sched::Resources& each) {
    scenario.cluster.peers = count;
    scenario.cluster.cpus = each.cpu / 1000.0;
    scenario.cluster.memory = each.memory;
    scenario.cluster.net_in = each.net_in / 1024.0;
  }
  /// The completion of each job, in t.
  std::vector<double> run(Scheduler scheduler) {
    scenario.baseline.scheduler = scheduler;
    Simulation simulation(scenario, nullptr, std::make_unique<ListedJobs>(jobs));
    simulation.run();
    last = simulation.resources().result();
    remote_share = simulation.recorder().counts().inputs.remote_share();
    std::vector<double> completions;
    for (const WholeJob& each : whole_jobs_of(simulation.recorder()).finished()) {
      completions.push_back(std::chrono::duration<double>(each.completion()) / kT);
    }
    return completions;
  }
  static void expect_near(const std::vector<double>& found, const std::vector<double>& wanted) {
    ASSERT_EQ(found.size(), wanted.size());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], wanted[i], 0.005) << i;
  }

  Scenario scenario;
  ListedJobs jobs;
  ResourceMeter::Result last;
  double remote_share = 0;
};

TEST_F(PackingBaselines, Slide36DominantSharesAreEqualAndPackingIsSooner) {
  set_machines(1, amounts(18, 36));
  jobs.add({{18, amounts(1, 2)}});
  jobs.add({{6, amounts(3, 1)}});
  jobs.add({{6, amounts(3, 1)}});
  expect_near(run(Scheduler::drf), {3, 3, 3});
  std::vector<double> packed = run(Scheduler::tetris);
  std::ranges::sort(packed);
  expect_near(packed, {1, 2, 3});
}

// Two tasks that want the whole link run at half speed where it is not counted.
TEST_F(PackingBaselines, Slide6WhatIsNotCountedIsGivenAwayTwice) {
  set_machines(1, amounts(4, 4, 20));
  jobs.add({{1, amounts(1, 2, 20)}});
  jobs.add({{1, amounts(1, 2, 20)}});
  jobs.add({{1, amounts(1, 2, 0)}});
  expect_near(run(Scheduler::drf), {2, 2, 3});
  EXPECT_GT(last.mean.over[4], 0.3) << "network in";
  std::vector<double> packed = run(Scheduler::tetris);
  std::ranges::sort(packed);
  expect_near(packed, {1, 1, 2});
  EXPECT_EQ(last.mean.over[4], 0);
  scenario.baseline.resources = DealtResources::all;
  std::vector<double> fair = run(Scheduler::drf);
  std::ranges::sort(fair);
  expect_near(fair, {1, 1, 2});
}

TEST_F(PackingBaselines, SlotsCountMemoryAlone) {
  scenario.baseline.slot = 2048;
  set_machines(1, amounts(2, 4));
  jobs.add({{1, amounts(2, 1)}});
  jobs.add({{1, amounts(2, 1)}});
  jobs.add({{1, amounts(2, 1)}});
  expect_near(run(Scheduler::slots), {2, 2, 3});
  EXPECT_GT(last.mean.over[kCpuKind], 0.3);
  EXPECT_EQ(last.mean.over[kMemoryKind], 0);
}

TEST_F(PackingBaselines, ABarrierHoldsAStage) {
  set_machines(2, amounts(2, 4));
  jobs.add({{4, amounts(1, 1)}, {2, amounts(1, 1)}}, true);
  for (const auto scheduler :
      {Scheduler::slots, Scheduler::drf, Scheduler::tetris, Scheduler::bound}) {
    expect_near(run(scheduler), {2});
  }
}

// No machine has room for the large one beside a small one, but all together have.
TEST_F(PackingBaselines, TheBoundKnowsNoFragments) {
  set_machines(2, amounts(4, 4));
  jobs.add({{2, amounts(1, 3)}});
  jobs.add({{1, amounts(1, 2)}});
  scenario.peer.worker.srtf_weight = 0;
  expect_near(run(Scheduler::bound), {1, 1});
  std::vector<double> packed = run(Scheduler::tetris);
  std::ranges::sort(packed);
  expect_near(packed, {1, 2});
}

// Between the end of a task and the next report its room is idle.
TEST_F(PackingBaselines, TasksWaitForHeartbeats) {
  set_machines(1, amounts(1, 4));
  jobs.add({{4, amounts(1, 1)}});
  const double often = run(Scheduler::drf).front();
  scenario.baseline.heartbeat = 30s;
  EXPECT_GT(run(Scheduler::drf).front(), often + 0.3);
}

/// Tasks of a core that read so many MiB/s from a disk of machine `at`, in a job of their own.
Kind reading(std::uint32_t count, std::uint32_t rate, std::uint32_t at) {
  Kind kind{count, amounts(1, 1)};
  kind.demand.disk_read = rate * 1024;
  kind.at = at;
  return kind;
}

// Two machines of two cores. What is at one of them fills it, and the rest reads over the network.
TEST_F(PackingBaselines, TheMasterPutsTasksWhereTheirInputsAre) {
  set_machines(2, amounts(2, 8, 100));
  scenario.cluster.disk_read = 100;
  scenario.cluster.net_out = 100;
  jobs.add({reading(2, 10, 0)});
  jobs.add({reading(2, 10, 1)});
  expect_near(run(Scheduler::tetris), {1, 1});
  EXPECT_EQ(remote_share, 0);
}

TEST_F(PackingBaselines, WhatIsElsewhereTakesDiskWhereItsInputIs) {
  set_machines(2, amounts(2, 8, 100));
  scenario.cluster.disk_read = 30;
  scenario.cluster.net_out = 100;
  // Three tasks read 30 MiB/s of one disk; the fourth must wait, though there is a core for it.
  jobs.add({reading(4, 10, 0)});
  expect_near(run(Scheduler::tetris), {2});
  EXPECT_EQ(remote_share, 0.25);
}

// To others each machine has all inputs.
TEST_F(PackingBaselines, OtherMastersKnowNothingOfInputs) {
  set_machines(2, amounts(2, 8, 100));
  scenario.cluster.disk_read = 30;
  scenario.baseline.resources = DealtResources::all;
  jobs.add({reading(4, 10, 0)});
  expect_near(run(Scheduler::drf), {1});
  EXPECT_EQ(remote_share, 0);
}

}  // namespace
}  // namespace dunlin::sim
