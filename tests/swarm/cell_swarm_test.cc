// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <set>

#include "tests/support/cell_world.h"

// Cells under chaos: messages lost, doubled and late, nodes that die and come back, networks that
// split. At every step CellWorld checks what must always hold; in the end there must be order.
namespace dunlin::test {
namespace {

using namespace std::chrono_literals;

CellWorldOptions draw(overlay::Rng& rng, std::uint64_t seed) {
  CellWorldOptions options{.nodes = 3 + rng.below(7), .seed = seed, .codec = rng.chance(0.3)};
  auto& params = options.params;
  params.cell.sharing = rng.chance(0.5) ? sched::SharingMode::bank : sched::SharingMode::reserves;
  params.cell.cell_size = static_cast<std::uint16_t>(3 + rng.below(8));
  params.cell.cell_least = rng.uniform() * 0.8;
  params.cell.voter_lost = rng.between(12s, 40s);
  params.raft.snapshot_threshold = 4 + rng.below(60);
  params.raft.snapshot_trailing = 1 + rng.below(20);
  options.network.latency_most = rng.between(500us, 80ms);
  options.network.loss = rng.chance(0.5) ? rng.uniform() * 0.15 : 0;
  options.network.duplication = rng.chance(0.5) ? rng.uniform() * 0.2 : 0;
  options.network.straggling = rng.chance(0.4) ? rng.uniform() * 0.05 : 0;
  return options;
}

void disturb(CellWorld& world, overlay::Rng& rng) {
  const std::size_t node = rng.index(world.size());
  const double what = rng.uniform();
  if (what < 0.15) {
    if (world.alive(node)) world.kill(node);
  } else if (what < 0.5) {
    world.restart(node);
  } else if (what < 0.6) {
    world.network().split({node, rng.index(world.size())}, world.size(), rng.chance(0.2));
  } else if (what < 0.8) {
    world.network().mend_all();
  } else if (what < 0.9) {
    world.want(node, {rng.below(5000), rng.below(5000), rng.below(5000)});
  } else if (world.alive(node)) {
    world.set_shares(node, {1 + rng.below(9), rng.below(9), rng.below(9)});
  }
}

TEST(CellSwarm, BooksBalanceAndOrderReturns) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    overlay::Rng rng(seed ^ 0xce11);
    CellWorld world(draw(rng, seed));
    for (int round = 0; round < 60; ++round) {
      disturb(world, rng);
      world.run_for(rng.exponential(3s));
      ASSERT_EQ(world.violation(), "") << "seed " << seed << world.describe();
    }
    world.network().heal();
    for (std::size_t i = 0; i < world.size(); ++i) world.restart(i);
    EXPECT_TRUE(world.run_until([&] { return world.settled(); }, 600s))
        << "seed " << seed << world.describe();
    ASSERT_EQ(world.violation(), "") << "seed " << seed << world.describe();
  }
}

TEST(CellSwarm, TheSameSeedGivesTheSameTrace) {
  const auto trace = [](bool codec) {
    overlay::Rng rng(5);
    auto options = draw(rng, 5);
    options.codec = codec;
    CellWorld world(options);
    for (int round = 0; round < 20; ++round) {
      disturb(world, rng);
      world.run_for(rng.exponential(3s));
    }
    return std::pair(world.hash(), world.messages());
  };
  EXPECT_EQ(trace(false), trace(false));
  EXPECT_EQ(trace(false), trace(true));
}

}  // namespace
}  // namespace dunlin::test
