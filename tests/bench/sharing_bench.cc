// SPDX-License-Identifier: MIT
#include <benchmark/benchmark.h>

#include "sched/ledger/ledger.h"
#include "sched/sharing/bank.h"
#include "sched/sharing/closest_flow.h"
#include "sched/sharing/reserves.h"

// The time that the manager of a cell takes for one period: by the bank, by cluster reserves (and
// each of its steps), and for applying the outcome to its ledger.
//
//     sharing_bench --benchmark_filter=Reserves
namespace dunlin::sched {
namespace {

/// Half of all places are sinks, a third of the others idle.
SharingInput draw_input(Rng& rng, std::size_t nodes, std::size_t classes) {
  SharingInput input;
  for (std::size_t i = 0; i < nodes; ++i) input.tickets.push_back(1000 * (1 + rng.below(64)));
  for (std::size_t j = 0; j < classes; ++j) {
    input.weights.push_back(1 + rng.below(9));
    input.balances.push_back(rng.below(100'000));
  }
  input.previous = desired_of(input);
  input.used = input.previous;
  for (std::size_t i = 0; i < nodes; ++i) {
    for (Tickets& used : input.used.row(i)) {
      if (rng.chance(0.5)) continue;
      used = rng.chance(0.3) ? 0 : static_cast<Tickets>(static_cast<double>(used) * rng.uniform());
    }
  }
  return input;
}

/// As many inputs as are tried in turn.
std::vector<SharingInput> inputs(const benchmark::State& state) {
  Rng rng(1);
  std::vector<SharingInput> drawn;
  for (int i = 0; i < 16; ++i) {
    drawn.push_back(draw_input(
        rng, static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1))));
  }
  return drawn;
}

void bench_bank(benchmark::State& state) {
  const auto drawn = inputs(state);
  std::size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(plan_bank({}, drawn[next++ % drawn.size()]));
  }
}

void bench_reserves(benchmark::State& state) {
  const auto drawn = inputs(state);
  std::size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(plan_reserves({}, drawn[next++ % drawn.size()]));
  }
}

void bench_step1(benchmark::State& state) {
  const auto drawn = inputs(state);
  std::size_t next = 0;
  for (auto _ : state) {
    const auto problem = reserves_problem({}, drawn[next++ % drawn.size()]);
    benchmark::DoNotOptimize(min_deviation(problem));
  }
}

void bench_ledger(benchmark::State& state) {
  const auto drawn = inputs(state);
  const auto plan = plan_bank({}, drawn[0]).value();
  Ledger fresh(CellId{1});
  books::Command command;
  command.epoch = 1;
  fresh.apply(command);
  std::vector<MemberId> nodes;
  std::vector<ClassId> class_ids;
  for (std::size_t i = 0; i < drawn[0].tickets.size(); ++i) {
    nodes.push_back(PeerId{i + 1});
    command.action = books::Mint{.node = nodes.back(), .tickets = drawn[0].tickets[i]};
    fresh.apply(command);
  }
  for (std::size_t j = 0; j < drawn[0].weights.size(); ++j) {
    class_ids.push_back(static_cast<ClassId>(j));
  }
  auto allocate = to_command(plan, 1, nodes, class_ids,
      {.grant_life = std::chrono::seconds(20), .expiry = std::chrono::minutes(10)});
  allocate.draws.clear();
  command.action = allocate;
  for (auto _ : state) {
    Ledger ledger = fresh;
    benchmark::DoNotOptimize(ledger.apply(command));
  }
}

BENCHMARK(bench_bank)->Name("Bank")->Args({40, 8})->Unit(benchmark::kMicrosecond);
BENCHMARK(bench_reserves)
    ->Name("Reserves")
    ->Args({10, 4})
    ->Args({40, 8})
    ->Args({40, 16})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(bench_step1)->Name("ReservesStep1")->Args({40, 8})->Unit(benchmark::kMicrosecond);
BENCHMARK(bench_ledger)->Name("LedgerAllocate")->Args({40, 8})->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace dunlin::sched
