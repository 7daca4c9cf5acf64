// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <iostream>
#include <set>

#include "sched/cell/sharing_params.h"
#include "tests/support/cell_world.h"
#include "tests/swarm/seeds.h"

// Cells under chaos: messages lost, doubled and late, nodes that die and come back, networks that
// split. At every step CellWorld checks what must always hold; in the end there must be order.
namespace dunlin::test {
namespace {

using namespace std::chrono_literals;

CellWorldOptions draw(overlay::Rng& rng, std::uint64_t seed) {
  CellWorldOptions options{.nodes = 3 + rng.below(7), .seed = seed, .codec = rng.chance(0.3)};
  auto& params = options.params;
  params.cell.sharing =
      rng.chance(0.5) ? sched::SharingMode::bank : sched::SharingMode::cluster_reserves;
  params.cell.cell_size = static_cast<std::uint16_t>(3 + rng.below(8));
  params.cell.cell_min = rng.uniform() * 0.8;
  params.cell.voter_lost = rng.between(12s, 40s);
  params.raft.snapshot_threshold = 4 + rng.below(60);
  params.raft.snapshot_trailing = 1 + rng.below(20);
  options.network.latency_max = rng.between(500us, 80ms);
  options.network.loss = rng.chance(0.5) ? rng.uniform() * 0.15 : 0;
  options.network.duplication = rng.chance(0.5) ? rng.uniform() * 0.2 : 0;
  options.network.straggling = rng.chance(0.4) ? rng.uniform() * 0.05 : 0;
  return options;
}

/// The nodes that were taken away for good.
using Gone = std::set<std::size_t>;

/// Nodes are lost with their disks, come new and go for good: but never so that books lose a
/// majority of their voters, which only an operator could help.
void change_nodes(CellWorld& world, overlay::Rng& rng, Gone& gone) {
  const std::size_t node = rng.index(world.size());
  const double what = rng.uniform();
  if (what < 0.3) {
    if (world.size() - gone.size() < 12) world.add();
  } else if (what < 0.7) {
    if (world.dispensable(node)) world.lose_disk(node);
  } else if (node != 0 && world.alive(node) && world.size() - gone.size() > 3) {
    const bool waits = rng.chance(0.5);
    world.act(node, [&](const auto& turn, auto& self) {
      waits ? self.departure().depart(turn) : self.departure().leave(turn);
      return true;
    });
    world.run_for(rng.exponential(waits ? 10s : 3s));
    // One that stays a while after all has left all the same.
    const bool goes = world.alive(node) && world.dispensable(node);
    world.kill(node);
    if (!goes) return;
    world.lose_disk(node);
    gone.insert(node);
  }
}

void disturb(CellWorld& world, overlay::Rng& rng, Gone& gone) {
  const std::size_t node = rng.index(world.size());
  const double what = rng.uniform();
  if (what < 0.15) {
    if (world.alive(node)) world.kill(node);
  } else if (what < 0.45) {
    if (!gone.contains(node)) world.restart(node);
  } else if (what < 0.55) {
    world.network().split({node, rng.index(world.size())}, world.size(), rng.chance(0.2));
  } else if (what < 0.75) {
    world.network().mend_all();
  } else if (what < 0.85) {
    world.want(node, {rng.below(5000), rng.below(5000), rng.below(5000)});
  } else if (what < 0.92) {
    if (world.alive(node)) world.set_shares(node, {1 + rng.below(9), rng.below(9), rng.below(9)});
  } else {
    change_nodes(world, rng, gone);
  }
}

/// Those that are not gone.
bool all_granted(CellWorld& world, const Gone& gone) {
  for (std::size_t i = 0; i < world.size(); ++i) {
    if (!gone.contains(i) && !world.node(i).granted(world.now())) return false;
  }
  return true;
}

constexpr std::uint64_t kCellSeedsPerTest = 25;
constexpr int kCellTests = 4;

class CellSwarm : public ::testing::TestWithParam<int> {};

TEST_P(CellSwarm, BooksBalanceAndOrderReturns) {
  auto [first, end] = asked_for();
  const bool asked = first != end;
  if (asked && GetParam() != 0) GTEST_SKIP() << "DUNLIN_SEED is set";
  if (!asked) {
    first = static_cast<std::uint64_t>(GetParam()) * kCellSeedsPerTest + 1;
    end = first + kCellSeedsPerTest;
  }
  std::size_t terms = 0;
  std::uint64_t allocations = 0;
  std::size_t losses = 0;
  for (std::uint64_t seed = first; seed < end; ++seed) {
    // Told beforehand: a broken ensure() ends the program.
    std::cout << "[ SEED     ] " << seed << std::endl;
    overlay::Rng rng(seed ^ 0xce11);
    CellWorld world(draw(rng, seed));
    Gone gone;
    for (int round = 0; round < 60; ++round) {
      disturb(world, rng, gone);
      world.run_for(rng.exponential(3s));
      ASSERT_EQ(world.violation(), "") << "seed " << seed << world.describe();
    }
    world.network().heal();
    for (std::size_t i = 0; i < world.size(); ++i) {
      if (!gone.contains(i)) world.restart(i);
    }
    EXPECT_TRUE(world.run_until([&] { return world.settled(); }, 600s))
        << "seed " << seed << world.describe();
    ASSERT_EQ(world.violation(), "") << "seed " << seed << world.describe();
    // Every node that is a member gets grants again, once there is a class table.
    ASSERT_TRUE(world.alive(0));
    world.set_shares(0, {5, 3, 2});
    for (std::size_t i = 0; i < world.size(); ++i) world.want(i, {4000, 4000, 4000});
    EXPECT_TRUE(world.run_until([&] { return all_granted(world, gone); }, 120s))
        << "seed " << seed << world.describe();
    EXPECT_TRUE(world.run_until([&] { return world.trees() == 1; }, 600s))
        << "seed " << seed << ": " << world.trees() << " trees" << world.describe();
    ASSERT_EQ(world.violation(), "") << "seed " << seed << world.describe();
    losses += gone.size();
    terms += world.terms();
    for (const auto& [cell, chief] : world.managers()) {
      allocations += world.books(cell)->ledger().state().period;
    }
  }
  RecordProperty("terms", static_cast<int>(terms));
  RecordProperty("allocations", static_cast<int>(allocations));
  if (asked) return;
  // Something happened.
  EXPECT_GT(terms, 6u);
  EXPECT_GT(allocations, 60u);
  EXPECT_GE(losses, 2u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, CellSwarm, ::testing::Range(0, kCellTests));

TEST(CellSwarmTrace, TheSameSeedGivesTheSameTrace) {
  const auto trace = [](bool codec) {
    overlay::Rng rng(5);
    auto options = draw(rng, 5);
    options.codec = codec;
    CellWorld world(options);
    Gone gone;
    for (int round = 0; round < 20; ++round) {
      disturb(world, rng, gone);
      world.run_for(rng.exponential(3s));
    }
    return std::pair(world.hash(), world.messages());
  };
  EXPECT_EQ(trace(false), trace(false));
  EXPECT_EQ(trace(false), trace(true));
}

}  // namespace
}  // namespace dunlin::test
