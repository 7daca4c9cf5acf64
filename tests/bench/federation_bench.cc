// SPDX-License-Identifier: MIT
#include <benchmark/benchmark.h>

#include "sched/constraints.h"
#include "sched/federation/partition.h"
#include "sched/resources.h"

// The time of one match in a partition: by vectors of bits, and by a look at the attributes of row
// after row, on the same rows and the same wishes. Each node has 21 attributes of its profile, as
// in Megha's set-up, and a wish has 3 constraints that one node in 60 satisfies.
//
//     federation_bench --benchmark_filter=50000
namespace dunlin::sched::federation {
namespace {

constexpr int kProfiles = 60;

struct World {
  Expressions expressions;
  Partition partition;
  std::vector<Constraint> constraints;

  /// `busy`: no node has room, so that every row is looked at in vain.
  World(std::int64_t rows, bool busy) {
    std::vector<KindNumber> kinds;
    for (int profile = 0; profile < kProfiles; ++profile) {
      NodeKind kind{.total = {.cpu = 64'000, .memory = 16'384}};
      kind.attributes = {{"rack", std::to_string(profile % 5)},
          {"kernel", "6." + std::to_string(profile % 4)}, {"zone", std::to_string(profile % 3)}};
      for (int i = 3; i < 21; ++i) {
        kind.attributes.push_back({"feature" + std::to_string(i), std::to_string(profile % i)});
      }
      kinds.push_back(expressions.kinds().number_of(kind));
    }
    Rng rng(1);
    for (std::int64_t i = 0; i < rows; ++i) {
      partition.put({.node = PeerId{static_cast<std::uint64_t>(i) + 1},
                        .version = 1,
                        .kind = kinds[rng.index(kinds.size())],
                        .free = {.cpu = busy ? 500u : 64'000u, .memory = 16'384}},
          expressions);
    }
    for (const char* text : {"rack=4", "kernel>=6.3", "zone!=1"}) {
      constraints.push_back(parse_constraint(text).value());
    }
  }
};

constexpr Resources kDemand{.cpu = 1000, .memory = 1024};

void bench_vectors(benchmark::State& state, bool busy) {
  World world(state.range(0), busy);
  Rng rng(2);
  Search search;
  for (auto _ : state) {
    Wish wish{.demand = kDemand};
    for (const Constraint& each : world.constraints) {
      wish.constraints.push_back(world.expressions.handle(each));
    }
    benchmark::DoNotOptimize(
        world.partition.match(wish, Pick::random, world.expressions, rng, search));
  }
}

/// From a row drawn by chance on, as vectors are searched.
void bench_rows(benchmark::State& state, bool busy) {
  World world(state.range(0), busy);
  Rng rng(2);
  const std::vector<Row>& rows = world.partition.rows();
  const auto fitting = [&]() -> const Row* {
    const std::size_t start = rng.index(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Row& row = rows[(start + i) % rows.size()];
      const NodeKind& kind = world.expressions.kinds().at(row.kind);
      if (satisfies_all(kind.attributes, world.constraints) && fits(kDemand, row.free)) return &row;
    }
    return nullptr;
  };
  for (auto _ : state) benchmark::DoNotOptimize(fitting());
}

BENCHMARK_CAPTURE(bench_vectors, room, false)->Arg(1'000)->Arg(50'000);
BENCHMARK_CAPTURE(bench_rows, room, false)->Arg(1'000)->Arg(50'000);
BENCHMARK_CAPTURE(bench_vectors, full, true)->Arg(1'000)->Arg(50'000);
BENCHMARK_CAPTURE(bench_rows, full, true)->Arg(1'000)->Arg(50'000);

}  // namespace
}  // namespace dunlin::sched::federation
