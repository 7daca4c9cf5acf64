// SPDX-License-Identifier: MIT
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <sstream>

#include "sched/constraints.h"
#include "sim/engine/simulation.h"
#include "sim/report/report.h"
#include "sim/workload/synthetic.h"

// No task ever starts on a machine that does not satisfy its constraints, whoever schedules.
namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

Scenario constrained(Scheduler scheduler) {
  Scenario scenario;
  scenario.simulation = {.seed = 1, .duration = 30s, .warm_up = 5s, .drain = 60s};
  scenario.cluster.peers = 60;
  scenario.cluster.constraints = ConstraintProfile::b;
  scenario.network = {.latency_spread = Spread::constant, .latency = 1ms};
  scenario.workload = {.load = 0.6, .tasks_per_job = 10, .task_time = 500ms, .first_job = 3s};
  scenario.baseline.scheduler = scheduler;
  // Otherwise a frontend refuses jobs for which it knows no node yet.
  scenario.peer.directory.size_max = 0;
  return scenario;
}

/// A workload that remembers what each job demands, by "frontend/number".
class Remembered final : public Workload {
 public:
  using Demands = std::map<std::string, std::vector<sched::Constraint>>;

  Remembered(std::unique_ptr<Workload> workload, Demands& demands)
      : workload_(std::move(workload)),
        demands_(demands) {}

  std::optional<Submission> next() override {
    auto submission = workload_->next();
    if (!submission) return submission;
    const std::uint32_t number = ++numbers_[submission->frontend];
    const std::string id = std::to_string(submission->frontend + 1) + "/" + std::to_string(number);
    demands_[id] = submission->job.groups.front().constraints;
    return submission;
  }
  std::uint64_t left_out() const override { return workload_->left_out(); }

 private:
  std::unique_ptr<Workload> workload_;
  Demands& demands_;
  std::map<std::uint32_t, std::uint32_t> numbers_;
};

TEST(Constrained, PeersStartTasksOnlyWhereTheirConstraintsHold) {
  const Scenario scenario = constrained(Scheduler::dunlin);
  const auto machines = machines_of(scenario.cluster, scenario.chance());
  Remembered::Demands demands;
  std::ostringstream text;
  Trace trace(text);
  auto workload = std::make_unique<SyntheticWorkload>(scenario.workload,
      SyntheticWorkload::Setting{
          .machines = machines, .profile = ConstraintProfile::b, .end = Time{30s}},
      Rng{1});
  Simulation run(scenario, &trace, std::make_unique<Remembered>(std::move(workload), demands));
  run.run();
  EXPECT_EQ(run.recorder().counts().jobs_finished, run.recorder().counts().jobs);
  EXPECT_EQ(run.recorder().counts().jobs_refused, 0u);

  // "5.000731022 4 task_started job=17/1 index=0 attempt=1"
  std::istringstream lines(text.str());
  int constrained = 0, free = 0;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string at, event, job;
    std::size_t worker = 0;
    if (!(words >> at >> worker >> event >> job) || event != "task_started") continue;
    const auto demanded = demands.find(job.substr(job.find('=') + 1));
    ASSERT_NE(demanded, demands.end()) << line;
    ++(demanded->second.empty() ? free : constrained);
    EXPECT_TRUE(sched::satisfies_all(machines[worker - 1].attributes, demanded->second)) << line;
  }
  EXPECT_GT(constrained, 500);
  EXPECT_GT(free, 500);
}

// A baseline that breaks a constraint breaks an ensure() of Baseline::start.
TEST(Constrained, EveryBaselineHonoursThem) {
  for (const auto scheduler : {Scheduler::omniscient, Scheduler::central, Scheduler::batch,
           Scheduler::per_task, Scheduler::random}) {
    Simulation run(constrained(scheduler), nullptr);
    run.run();
    const auto& counts = run.recorder().counts();
    EXPECT_GT(counts.jobs, 200u);
    EXPECT_EQ(counts.jobs_finished, counts.jobs) << static_cast<int>(scheduler);
    EXPECT_EQ(counts.tasks_started, counts.tasks);
    EXPECT_GT(run.recorder().of(JobClass::constrained_jobs).delay.count(), 50u);
    EXPECT_GT(run.recorder().of(JobClass::free_jobs).delay.count(), 50u);
  }
}

TEST(Constrained, CostTime) {
  const auto delays = [](double share) {
    Scenario scenario = constrained(Scheduler::dunlin);
    scenario.workload.load = 0.8;
    scenario.workload.constrained = share;
    Simulation run(scenario, nullptr);
    run.run();
    return *run.recorder().of(JobClass::all).delay.mean();
  };
  EXPECT_GT(delays(0.5), delays(0));
}

TEST(Constrained, JobsThatNobodyCanRunAreLeftOutAndCounted) {
  Scenario scenario = constrained(Scheduler::dunlin);
  scenario.cluster.peers = 5;
  scenario.cluster.constraints = ConstraintProfile::c;
  scenario.workload.constrained = 1;
  Simulation run(scenario, nullptr);
  run.run();
  EXPECT_GT(run.left_out(), 0u);
  EXPECT_GT(run.recorder().counts().jobs, 0u);
  EXPECT_EQ(run.recorder().counts().jobs_finished, run.recorder().counts().jobs);
  EXPECT_THAT(table_of(run), HasSubstr("no machine can run them"));
  EXPECT_THAT(json_of(run), Not(HasSubstr("\"jobs_left_out\": 0,")));
}

// Constraints are drawn from a stream of their own. Otherwise no two runs could be compared.
TEST(Constrained, TheJobsAreThoseOfTheSameWorkloadWithout) {
  const auto machines = machines_of(constrained(Scheduler::dunlin).cluster, 1);
  const auto jobs = [&](ConstraintProfile profile) {
    return SyntheticWorkload(
        WorkloadParams{}, {.machines = machines, .profile = profile, .end = Time{1000s}}, Rng{1});
  };
  auto with = jobs(ConstraintProfile::a), without = jobs(ConstraintProfile::none);
  for (int i = 0; i < 20; ++i) {
    const auto one = without.next();
    auto other = with.next();
    ASSERT_TRUE(one && other);
    while (other && other->facts.key < one->facts.key) other = with.next();
    if (other->facts.key > one->facts.key) break;  // One was left out.
    EXPECT_EQ(one->at, other->at);
    EXPECT_EQ(one->frontend, other->frontend);
    EXPECT_EQ(one->facts.longest, other->facts.longest);
  }
}

}  // namespace
}  // namespace dunlin::sim
