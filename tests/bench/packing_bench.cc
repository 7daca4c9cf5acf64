// SPDX-License-Identifier: MIT
#include <benchmark/benchmark.h>
#include <chrono>
#include <ctime>

#include "sched/worker/dispatch/flat_dispatcher.h"
#include "sched/worker/packing/packing_dispatcher.h"
#include "tests/support/loose_parts.h"

// The time that a worker takes to choose the task that starts next, of so many reservations by six
// resources: by `tetris`, and beside it, on the same queue in the same run, by `shortest`.
//
//     packing_bench --benchmark_filter=dot
namespace dunlin::test {
namespace {

constexpr std::uint32_t kQueued = 1024;

sched::Resources node() {
  return {.cpu = 64'000,
      .memory = 256 * 1024,
      .custom = {},
      .disk_read = 1 << 20,
      .disk_write = 1 << 20,
      .net_in = 1 << 20,
      .net_out = 1 << 20};
}

sched::Resources draw_demand(sched::Rng& rng) {
  return {.cpu = 100 + rng.below(8000),
      .memory = 100 + rng.below(16 * 1024),
      .custom = {},
      .disk_read = rng.below(1 << 17),
      .disk_write = rng.below(1 << 17),
      .net_in = rng.below(1 << 17),
      .net_out = rng.below(1 << 17)};
}

/// A worker with a full queue of as many jobs, all of which fit.
struct FullQueue {
  explicit FullQueue(const sched::WorkerParams& params, bool told) : parts(node(), params) {
    sched::Rng rng(1);
    for (std::uint32_t i = 0; i < kQueued; ++i) {
      sched::Reserve reserve =
          reserve_of(1 + i, std::chrono::milliseconds(100 + rng.below(60'000)));
      reserve.demand = draw_demand(rng);
      reserve.tasks_max = 64;
      reserve.work = (1 + rng.below(1000)) * reserve.task_time;
      if (told) {
        reserve.extent.resize(1);
        reserve.extent[0].work.cpu = rng();
        reserve.extent[0].held.net_in = rng.below(1 << 20);
      }
      parts.wait(sched::Time{std::chrono::milliseconds(rng.below(10'000))}, reserve);
    }
  }

  LooseParts parts;
};

/// The time of this thread on a CPU, in seconds: what else runs on the machine adds nothing to it.
double cpu_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

void bench_decision(
    benchmark::State& state, sched::packing::ScoreName score, double scarcity, bool told) {
  sched::WorkerParams params;
  const FullQueue by_length(params, told);
  params.discipline = sched::DisciplineName::tetris;
  params.packing_score = score;
  params.scarcity = scarcity;
  const FullQueue by_packing(params, told);
  const sched::FlatDispatcher shortest(by_length.parts.all);
  const sched::PackingDispatcher tetris(by_packing.parts.all);
  const sched::Time now{std::chrono::seconds(20)};
  double length_time = 0;
  double packing_time = 0;
  for (auto _ : state) {
    const double begin = cpu_time();
    benchmark::DoNotOptimize(shortest.choose(now));
    const double between = cpu_time();
    benchmark::DoNotOptimize(tetris.choose(now));
    length_time += between - begin;
    packing_time += cpu_time() - between;
  }
  const auto each = static_cast<double>(state.iterations()) / 1e6;
  state.counters["shortest_us"] = length_time / each;
  state.counters["tetris_us"] = packing_time / each;
  state.counters["ratio"] = packing_time / length_time;
}

using sched::packing::ScoreName;
BENCHMARK_CAPTURE(bench_decision, dot, ScoreName::dot, 0, false);
BENCHMARK_CAPTURE(bench_decision, dot_told, ScoreName::dot, 0, true);
BENCHMARK_CAPTURE(bench_decision, dot_by_scarcity, ScoreName::dot, 4, true);
BENCHMARK_CAPTURE(bench_decision, cosine, ScoreName::cosine, 0, false);
BENCHMARK_CAPTURE(bench_decision, l2_difference, ScoreName::l2_difference, 0, false);
BENCHMARK_CAPTURE(bench_decision, l2_ratio, ScoreName::l2_ratio, 0, false);
BENCHMARK_CAPTURE(bench_decision, sum, ScoreName::sum, 0, false);
BENCHMARK_CAPTURE(bench_decision, product, ScoreName::product, 0, false);

}  // namespace
}  // namespace dunlin::test
