// SPDX-License-Identifier: MIT
#include <algorithm>
#include <gtest/gtest.h>
#include <iostream>

#include "tests/swarm/raft_chaos.h"
#include "tests/swarm/seeds.h"

// A thousand banks, each replicated by a Raft group drawn from one seed: see raft_chaos.h for what
// is done to them, and what they must keep. DUNLIN_SEED=17 or DUNLIN_SEED=1000-2000 runs others.
namespace dunlin::test {
namespace {

constexpr std::uint64_t kRaftSeedsPerTest = 125;
constexpr int kRaftTests = 8;

class RaftSwarm : public ::testing::TestWithParam<int> {};

TEST_P(RaftSwarm, ConservesMoney) {
  const auto chunk = static_cast<std::uint64_t>(GetParam());
  auto [seed, end] = asked_for();
  if (seed != end && chunk != 0) GTEST_SKIP() << "DUNLIN_SEED is set";
  if (seed == end) {
    seed = chunk * kRaftSeedsPerTest;
    end = seed + kRaftSeedsPerTest;
  }
  for (; seed < end && !HasFailure(); ++seed) {
    std::cout << "[ SEED     ] " << seed << std::endl;  // Beforehand: a fault ends the program.
    const RaftVerdict verdict = run_raft_chaos(seed, false);
    EXPECT_EQ(verdict.failure, "") << verdict.drawn << "\nrepeat with: DUNLIN_SEED=" << seed
                                   << " ctest --test-dir build/check -R RaftSwarm "
                                      "--output-on-failure";
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RaftSwarm, ::testing::Range(0, kRaftTests));

TEST(RaftSwarmTrace, SameSeedSameTraceWithAndWithoutCodec) {
  for (std::uint64_t seed = 5000; seed < 5010; ++seed) {
    const RaftVerdict once = run_raft_chaos(seed, false);
    EXPECT_EQ(once.failure, "") << "seed " << seed;
    EXPECT_EQ(once.hash, run_raft_chaos(seed, true).hash) << "seed " << seed;
    EXPECT_NE(once.hash, run_raft_chaos(seed + 1, false).hash);
  }
}

// A swarm that never loses a disk proves nothing about lost disks.
TEST(RaftSwarmTrace, EverythingHappensSomewhere) {
  RaftVerdict all;
  constexpr std::uint64_t first = 7000;
  for (std::uint64_t seed = first; seed < first + 30; ++seed) {
    const RaftVerdict one = run_raft_chaos(seed, false);
    EXPECT_EQ(one.failure, "") << "seed " << seed;
    all.steps += one.steps;
    all.terms += one.terms;
    all.committed += one.committed;
    all.twice += one.twice;
    all.unsure += one.unsure;
    all.kills += one.kills;
    all.dooms += one.dooms;
    all.cuts += one.cuts;
    all.losses += one.losses;
    all.dismissals += one.dismissals;
    all.transfers += one.transfers;
    all.snapshots += one.snapshots;
    all.finish = std::max(all.finish, one.finish);
  }
  for (const auto count : {all.terms, all.committed, all.twice, all.unsure, all.kills, all.dooms,
           all.cuts, all.losses, all.dismissals, all.transfers, all.snapshots}) {
    EXPECT_GT(count, 0u);
  }
  std::cout << all.steps << " steps, " << all.terms << " terms, " << all.committed << " commands, "
            << all.twice << " twice, " << all.kills << " kills, " << all.dooms << " within a turn, "
            << all.cuts << " cuts, " << all.losses << " disks lost, " << all.dismissals
            << " dismissals, " << all.transfers << " handovers; equal "
            << all.finish / std::chrono::milliseconds(1) << " ms after healing at the latest\n";
}

}  // namespace
}  // namespace dunlin::test
