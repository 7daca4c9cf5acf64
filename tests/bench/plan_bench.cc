// SPDX-License-Identifier: MIT
#include <algorithm>
#include <benchmark/benchmark.h>
#include <chrono>
#include <vector>

#include "overlay/rng.h"
#include "sched/plan/plan.h"

// The time that the manager of a cell takes for one plan, by policy: jobs with deadlines, on nodes
// of four slots and many speeds, which held what the plan before gave them.
//
//     plan_bench --benchmark_filter=deadline
namespace dunlin::sched {
namespace {

using overlay::Rng;

std::vector<PlanWorker> draw_workers(Rng& rng, std::size_t count) {
  std::vector<PlanWorker> workers;
  for (std::size_t i = 0; i < count; ++i) {
    const double speed = 0.5 + static_cast<double>(rng.below(100)) / 100;
    workers.push_back({.node = PeerId{i + 1}, .slots = 4, .speed = speed});
  }
  return workers;
}

std::vector<PlanJob> draw_jobs(Rng& rng, std::size_t count) {
  std::vector<PlanJob> jobs;
  for (std::uint32_t i = 0; i < count; ++i) {
    PlanJob job{.job = {.home = PeerId{1}, .number = i + 1, .lineage = 7},
        .priority = static_cast<std::int16_t>(rng.below(100)),
        .time_left = std::chrono::seconds(10 + rng.below(600)),
        .tasks_left = 1 + static_cast<std::uint32_t>(rng.below(200)),
        .task_time = std::chrono::milliseconds(500 + rng.below(20'000))};
    job.running = std::min(job.tasks_left, static_cast<std::uint32_t>(rng.below(8)));
    job.ran = job.task_time / 3;
    jobs.push_back(job);
  }
  return jobs;
}

void bench_plan(benchmark::State& state, PlanPolicyName policy) {
  Rng rng(1);
  const auto size = static_cast<std::size_t>(state.range(0));
  const auto workers = draw_workers(rng, size);
  const auto jobs = draw_jobs(rng, size);
  const PlanParams params{.policy = policy};
  const auto held = plan_slots(params, workers, draw_jobs(rng, size)).allotments;
  for (auto _ : state) benchmark::DoNotOptimize(plan_slots(params, workers, jobs, held));
}

BENCHMARK_CAPTURE(bench_plan, priority, PlanPolicyName::priority)->Arg(100)->Arg(1000);
BENCHMARK_CAPTURE(bench_plan, proportion, PlanPolicyName::proportion)->Arg(100)->Arg(1000);
BENCHMARK_CAPTURE(bench_plan, workload, PlanPolicyName::workload)->Arg(100)->Arg(1000);
BENCHMARK_CAPTURE(bench_plan, deadline, PlanPolicyName::deadline)->Arg(100)->Arg(1000);
BENCHMARK_CAPTURE(bench_plan, edf, PlanPolicyName::edf)->Arg(100)->Arg(1000);
BENCHMARK_CAPTURE(bench_plan, assured, PlanPolicyName::assured)->Arg(100)->Arg(1000);

}  // namespace
}  // namespace dunlin::sched
