// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <iostream>
#include <string>

#include "tests/swarm/replica_chaos.h"
#include "tests/swarm/seeds.h"

// A replicated log under faults: see replica_chaos.h for what is done to it, and what it must keep.
// A run takes most of a second with sanitizers, so few are drawn here; DUNLIN_SEED=17 or
// DUNLIN_SEED=0-6000 runs others.
namespace dunlin::test::replicated {
namespace {

using sched::replica::Rules;

constexpr std::uint64_t kReplicaSeedsPerTest = 10;
constexpr int kReplicaTests = 4;

class ReplicaSwarm : public ::testing::TestWithParam<int> {};

TEST_P(ReplicaSwarm, KeepsWhatWasTold) {
  const auto chunk = static_cast<std::uint64_t>(GetParam());
  auto [seed, end] = asked_for();
  if (seed != end && chunk != 0) GTEST_SKIP() << "DUNLIN_SEED is set";
  if (seed == end) {
    seed = chunk * kReplicaSeedsPerTest;
    end = seed + kReplicaSeedsPerTest;
  }
  for (; seed < end && !HasFailure(); ++seed) {
    const ReplicaVerdict verdict = run_replica_chaos(seed);
    EXPECT_EQ(verdict.failure, "") << "seed " << seed;
    EXPECT_TRUE(verdict.settled) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ReplicaSwarm, ::testing::Range(0, kReplicaTests));

struct Broken {
  const char* name;
  bool Rules::* rule;
  std::uint64_t seed;  ///< From here on the search is short.
};

class ReplicaRules : public ::testing::TestWithParam<Broken> {};

// Each rule is needed: without it, a run in a few thousand breaks a promise.
TEST_P(ReplicaRules, WithoutItAPromiseIsBroken) {
  Rules rules;
  rules.*GetParam().rule = false;
  for (std::uint64_t seed = GetParam().seed; seed < GetParam().seed + 4000; ++seed) {
    const ReplicaVerdict verdict = run_replica_chaos(seed, rules);
    if (verdict.failure.empty()) continue;
    std::cout << "seed " << seed << ": " << verdict.failure << '\n';
    return;
  }
  ADD_FAILURE() << "nothing broke";
}

INSTANTIATE_TEST_SUITE_P(All,
    ReplicaRules,
    ::testing::Values(Broken{"acks_of_this_life", &Rules::acks_of_this_life, 178},
        Broken{"sets_name_disks", &Rules::sets_name_disks, 1},
        Broken{"shrink_waits", &Rules::shrink_waits, 0},
        Broken{"gate_is_union", &Rules::gate_is_union, 0},
        Broken{"intents_durable", &Rules::intents_durable, 108},
        Broken{"repeats_gated", &Rules::repeats_gated, 0},
        Broken{"reads_gated", &Rules::reads_gated, 0},
        Broken{"gate_from_zero", &Rules::gate_from_zero, 0},
        Broken{"follow_forward", &Rules::follow_forward, 5547},
        Broken{"compare_stamps", &Rules::compare_stamps, 0},
        Broken{"version_in_changes", &Rules::version_in_changes, 212},
        Broken{"claimants_in_sync", &Rules::claimants_in_sync, 0},
        Broken{"standby_disk_first", &Rules::standby_disk_first, 0},
        Broken{"home_disk_counts", &Rules::home_disk_counts, 0},
        Broken{"joins_caught_up", &Rules::joins_caught_up, 16},
        Broken{"joins_with_past", &Rules::joins_with_past, 5},
        Broken{"takeover_keeps_set", &Rules::takeover_keeps_set, 968},
        Broken{"move_freezes_first", &Rules::move_freezes_first, 0}),
    [](const auto& broken) { return std::string(broken.param.name); });

TEST(ReplicaSwarmTrace, SameSeedSameTraceAndEverythingHappensSomewhere) {
  ReplicaVerdict all;
  for (std::uint64_t seed = 7000; seed < 7012; ++seed) {
    const ReplicaVerdict one = run_replica_chaos(seed);
    EXPECT_EQ(one.failure, "") << "seed " << seed;
    EXPECT_EQ(one.hash, run_replica_chaos(seed).hash) << "seed " << seed;
    all.told += one.told;
    all.takeovers += one.takeovers;
    all.changes += one.changes;
    all.moves += one.moves;
    all.kills += one.kills;
    all.disks += one.disks;
    all.cuts += one.cuts;
    all.truncated += one.truncated;
  }
  for (const auto count : {all.told, all.takeovers, all.changes, all.moves, all.kills, all.disks,
           all.cuts, all.truncated}) {
    EXPECT_GT(count, 0u);
  }
  std::cout << all.told << " told, " << all.takeovers << " takeovers, " << all.changes
            << " changes of sets, " << all.moves << " moves, " << all.kills << " kills, "
            << all.disks << " disks lost, " << all.cuts << " cuts, " << all.truncated
            << " batches dropped\n";
}

}  // namespace
}  // namespace dunlin::test::replicated
