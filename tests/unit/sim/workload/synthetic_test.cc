// SPDX-License-Identifier: MIT
#include "sim/workload/synthetic.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>

namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;

const sched::Resources kPeerCapacity{.cpu = 4000, .memory = 16384, .custom = {}};

SyntheticWorkload workload(const WorkloadParams& params, Duration end = 1000s) {
  return {params,
      {.machines = std::vector<Machine>(100, {.total = kPeerCapacity, .attributes = {}}),
          .end = Time{end}},
      Rng{1}};
}

// 400 slots at load 0.8 with jobs of 100 tasks of 1 s: 3.2 jobs a second.
TEST(SyntheticWorkload, OffersTheLoadAskedFor) {
  auto jobs = workload({.load = 0.8, .tasks_per_job = 100, .task_time = 1s, .first_job = 0s});
  EXPECT_EQ(jobs.slots(), 400u);
  EXPECT_EQ(jobs.mean_gap(), 312'500us);
  double work = 0;
  Time last{};
  std::set<std::uint32_t> frontends;
  while (const auto next = jobs.next()) {
    EXPECT_GE(next->at, last);
    last = next->at;
    frontends.insert(next->frontend);
    work += std::chrono::duration<double>(next->facts.longest).count() * next->job.task_count();
  }
  EXPECT_LT(last, Time{1000s});
  EXPECT_NEAR(work / (400 * 1000), 0.8, 0.05);
  EXPECT_EQ(frontends.size(), 100u);
  EXPECT_EQ(*frontends.rbegin(), 99u);
}

TEST(SyntheticWorkload, MayComeToAFewFrontends) {
  auto jobs = workload({.frontends = 3, .first_job = 0s});
  std::set<std::uint32_t> frontends;
  while (const auto next = jobs.next()) frontends.insert(next->frontend);
  EXPECT_EQ(frontends, (std::set<std::uint32_t>{0, 1, 2}));
}

// The scarcest resource counts: 4 CPUs, but memory for two tasks.
TEST(SyntheticWorkload, CountsSlotsByTheScarcestResource) {
  EXPECT_EQ(workload({.task_cpu = 1, .task_memory = 8000}).slots(), 200u);
  EXPECT_EQ(workload({.task_cpu = 0.5, .task_memory = 1}).slots(), 800u);
}

TEST(SyntheticWorkload, StartsAndEndsOnTime) {
  auto jobs = workload({.first_job = 40s}, 50s);
  const auto first = jobs.next();
  ASSERT_TRUE(first);
  EXPECT_GT(first->at, Time{40s});
  EXPECT_LT(first->at, Time{50s});
}

TEST(SyntheticWorkload, TellsTasksTheirDurations) {
  sched::Launch launch;
  const auto per_job = *workload({.durations = Durations::per_job}).next();
  launch.spec = per_job.job.groups[0].spec;
  EXPECT_EQ(duration_of(launch), per_job.facts.longest);

  const auto constant = *workload({.task_time = 250ms, .durations = Durations::constant}).next();
  EXPECT_EQ(constant.facts.longest, 250ms);

  const auto per_task = *workload({.tasks_per_job = 50, .durations = Durations::per_task}).next();
  ASSERT_EQ(per_task.job.groups[0].entries.size(), 50u);
  std::set<Duration> durations;
  for (std::size_t i = 0; i < 50; ++i) {
    launch.entry = per_task.job.groups[0].entries[i];
    durations.insert(duration_of(launch));
  }
  EXPECT_EQ(durations.size(), 50u);
  EXPECT_EQ(*durations.rbegin(), per_task.facts.longest);
}

// The mean must be what was asked for, or the load would not be; and a few tasks hold much of it.
TEST(SyntheticWorkload, ParetoHasItsMeanAndAHeavyTail) {
  Rng rng{1};
  double sum = 0, top = 0;
  constexpr int kDraws = 200'000;
  for (int i = 0; i < kDraws; ++i) {
    const auto drawn = static_cast<double>(draw_pareto(100ms, 1.5, 1000, rng).count()) / 1e6;
    sum += drawn;
    if (drawn > 1000) top += drawn;
  }
  EXPECT_NEAR(sum / kDraws, 100, 3);
  EXPECT_GT(top / sum, 0.1);  // Exponential: 0.05 %.
}

TEST(SyntheticWorkload, BurstsBringMostJobsAndKeepTheLoad) {
  auto jobs = workload({.load = 0.8,
      .tasks_per_job = 100,
      .task_time = 1s,
      .burst = 4,
      .burst_length = 1s,
      .burst_period = 5s,
      .first_job = 0s});
  double all = 0, in_bursts = 0;
  while (const auto next = jobs.next()) {
    ++all;
    if (next->at.time_since_epoch() % 5s < 1s) ++in_bursts;
  }
  EXPECT_NEAR(in_bursts / all, 0.8, 0.03);  // 4 × the rate in a fifth of the time.
  EXPECT_NEAR(all * 100 / (1000.0 * static_cast<double>(jobs.slots())), 0.8, 0.04);
}

TEST(SyntheticWorkload, AFixedPaceAndALastJob) {
  auto jobs = workload({.job_gap = 100ms, .jobs_max = 3, .first_job = 1s});
  for (int i = 1; i <= 3; ++i) EXPECT_EQ(jobs.next()->at, Time{1s + i * 100ms});
  EXPECT_FALSE(jobs.next());
}

// 400 CPUs and 1,638,400 MiB: with log-uniform sizes the CPUs are scarcer, and work is what counts.
TEST(SyntheticWorkload, MixedSizesKeepTheLoadOfTheScarcerResource) {
  auto jobs = workload({.load = 0.8,
      .tasks_per_job = 10,
      .task_time = 1s,
      .durations = Durations::constant,
      .task_cpu = 0.5,
      .task_memory = 128,
      .task_cpu_max = 4,
      .task_memory_max = 4096,
      .first_job = 0s});
  double cpu = 0, memory = 0;
  std::uint32_t smallest = 4000, largest = 0;
  while (const auto next = jobs.next()) {
    const auto& demand = next->job.groups.front().demand;
    cpu += demand.cpu / 1000.0 * 10;
    memory += demand.memory * 10.0;
    smallest = std::min(smallest, demand.cpu);
    largest = std::max(largest, demand.cpu);
  }
  EXPECT_NEAR(cpu / (400 * 1000), 0.8, 0.03);
  EXPECT_LT(memory / (1'638'400.0 * 1000), 0.8);
  EXPECT_LT(smallest, 520u);
  EXPECT_GT(largest, 3900u);
}

TEST(SyntheticWorkload, PrioritiesAreDrawnEvenlyAndChangeNothingElse) {
  auto plain = workload({}), drawn = workload({.priority_max = 9});
  std::map<int, int> jobs_of;
  for (int i = 0; i < 1000; ++i) {
    auto a = plain.next(), b = drawn.next();
    ASSERT_TRUE(a && b);
    EXPECT_EQ(a->job.groups.front().priority, sched::kPriorityDefault);
    ++jobs_of[b->job.groups.front().priority];
    b->job.groups.front().priority = sched::kPriorityDefault;
    ASSERT_EQ(a->job, b->job);
    ASSERT_EQ(a->at, b->at);
  }
  ASSERT_EQ(jobs_of.size(), 10u);
  for (const auto& [priority, jobs] : jobs_of) EXPECT_NEAR(jobs, 100, 40) << priority;
}

TEST(SyntheticWorkload, IsTheSameForTheSameSeed) {
  auto one = workload({}), two = workload({});
  for (int i = 0; i < 100; ++i) {
    const auto a = one.next(), b = two.next();
    ASSERT_TRUE(a && b);
    EXPECT_EQ(a->at, b->at);
    EXPECT_EQ(a->frontend, b->frontend);
    EXPECT_EQ(a->job, b->job);
  }
}

// Four tasks that rise are .25, .92, 1.25 and 1.25 of task_time: a load of .5 was .459.
TEST(SyntheticWorkload, RisingTasksMakeTheLoadThatIsAskedFor) {
  const Fleet machines = std::vector<Machine>(
      10, Machine{.total = {.cpu = 4000, .memory = 16384, .custom = {}}, .attributes = {}});
  const WorkloadParams params{.load = 0.5,
      .tasks_per_job = 4,
      .task_time = std::chrono::seconds(1),
      .durations = Durations::rising};
  const Time end{std::chrono::hours(2)};
  SyntheticWorkload workload(params, {.machines = machines, .end = end}, Rng{1});
  double work = 0;
  while (const auto job = workload.next()) {
    work += std::chrono::duration<double>(job->facts.mean).count() * 4;
  }
  EXPECT_NEAR(work / (40 * 7200), 0.5, 0.015);
  EXPECT_NEAR(
      synthetic_task_rate(params, machines), 40 * 0.5 * 4 / (0.25 + 0.25 + 2.0 / 3 + 2.5), 1e-6);
}

}  // namespace
}  // namespace dunlin::sim
