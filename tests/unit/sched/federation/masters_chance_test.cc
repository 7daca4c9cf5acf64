// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "tests/unit/sched/federation/masters_world.h"

// Chance decides what is submitted, lost and declined, and when a local master dies.
namespace dunlin::sched::federation {
namespace {

class MastersChance : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(MastersChance, EachAttemptStartsOnceAndEachTaskEnds) {
  MastersWorld world(GetParam());
  for (int i = 0; i < 4000; ++i) {
    world.chance();
    world.step(true);
    world.expect_all_is_accounted_for();
    if (HasFailure()) return;
  }
  for (int i = 0; i < 4000; ++i) world.step(false);
  EXPECT_TRUE(world.all_done());
  world.expect_views_are_true();
  EXPECT_GT(world.tasks(), 80u);
  EXPECT_GT(world.declined(), 0u);
  EXPECT_GT(world.stopped(), 0u);
  EXPECT_GT(world.lent_most(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, MastersChance, ::testing::Range<std::uint64_t>(1, 13));

}  // namespace
}  // namespace dunlin::sched::federation
