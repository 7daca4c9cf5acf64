// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <iostream>

#include "tests/swarm/ledger_run.h"
#include "tests/swarm/seeds.h"

// Whatever leaders, the network and restarts do, tickets are neither lost nor made.
namespace dunlin::sched {
namespace {

constexpr std::uint64_t kLedgerSeedsPerTest = 100;
constexpr int kLedgerTests = 10;

class LedgerSwarm : public ::testing::TestWithParam<int> {};

TEST_P(LedgerSwarm, ConservesTicketsOnEveryReplica) {
  auto [first, end] = test::asked_for();
  const bool asked = first != end;
  if (asked && GetParam() != 0) GTEST_SKIP() << "DUNLIN_SEED is set";
  if (!asked) {
    first = static_cast<std::uint64_t>(GetParam()) * kLedgerSeedsPerTest;
    end = first + kLedgerSeedsPerTest;
  }
  std::size_t refused = 0;
  std::size_t repeated = 0;
  std::size_t settled = 0;
  std::size_t undone = 0;
  for (auto seed = first; seed < end && !HasFailure(); ++seed) {
    // Told beforehand: a broken ensure() ends the program.
    std::cout << "[ SEED     ] " << seed << std::endl;
    test::LedgerRun swarm(seed);
    swarm.run(150);
    EXPECT_FALSE(HasFailure()) << "repeat with: DUNLIN_SEED=" << seed
                               << " ctest --test-dir build/check -R swarm --output-on-failure";
    refused += swarm.refused;
    repeated += swarm.repeated;
    settled += swarm.settled;
    undone += swarm.undone;
  }
  if (asked) return;
  // All of it really happened.
  EXPECT_GT(refused, kLedgerSeedsPerTest);
  EXPECT_GT(repeated, kLedgerSeedsPerTest);
  EXPECT_GT(settled, kLedgerSeedsPerTest);
  EXPECT_GT(undone, kLedgerSeedsPerTest);
}

INSTANTIATE_TEST_SUITE_P(Seeds, LedgerSwarm, ::testing::Range(0, kLedgerTests));

}  // namespace
}  // namespace dunlin::sched
