// SPDX-License-Identifier: MIT
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

#include "sched/packing/packer.h"

// What can be turned in "Multi-Resource Packing for Cluster Schedulers" (SIGCOMM 2014), by its
// slides. The examples with whole schedules are in tetris_paper_test.cc.
namespace dunlin::test {
namespace {

using sched::Resources;
using sched::packing::Candidate;
using sched::packing::Packer;

Resources parts(std::uint32_t cpu, std::uint32_t memory) {
  return {.cpu = cpu, .memory = memory, .custom = {}};
}

// Slide 17: the best task is picked among the 1 - F of the jobs furthest from their fair share.
TEST(TetrisKnobs, TheFairnessKnobSizesTheCircle) {
  EXPECT_EQ(sched::packing::competing_jobs(0, 10), 10u);
  EXPECT_EQ(sched::packing::competing_jobs(0.25, 10), 8u);
  EXPECT_EQ(sched::packing::competing_jobs(0.25, 4), 3u);
  EXPECT_EQ(sched::packing::competing_jobs(0.7, 10), 3u);  // 3.0000000000000004 by floating point.
  EXPECT_EQ(sched::packing::competing_jobs(0.99, 10), 1u);
  EXPECT_EQ(sched::packing::competing_jobs(0.99, 0), 0u);
}

// With F towards 1 the job with the least dominant share is served, however well others pack.
TEST(TetrisKnobs, FullFairnessServesTheLeastShare) {
  const Resources node = parts(10, 10);
  const Resources large = parts(8, 8);
  const Resources small = parts(1, 1);
  const std::vector<sched::packing::Job> jobs = {{.share = 0.5}, {.share = 0.1}, {.share = 0.2}};
  const std::vector<Candidate> candidates = {
      {.job = 0, .demand = &large}, {.job = 1, .demand = &small}, {.job = 2, .demand = &large}};
  const auto first_at = [&](double fairness) {
    const Packer packing({.fairness = fairness}, node);
    return packing.choose(node, packing.dimensions().all(1), jobs, candidates);
  };
  EXPECT_EQ(first_at(0), 0u);
  EXPECT_EQ(first_at(0.4), 2u);  // Two compete, and the one that packs better wins.
  EXPECT_EQ(first_at(0.9), 1u);
}

// Slide 28: tasks of a stage go first once the part b of it has finished.
TEST(TetrisKnobs, TheLastTasksBeforeABarrierGoFirst) {
  EXPECT_FALSE(sched::packing::nears_barrier(0.9, 0.89));
  EXPECT_TRUE(sched::packing::nears_barrier(0.9, 0.9));
  EXPECT_FALSE(sched::packing::nears_barrier(0.9, 1));
  EXPECT_FALSE(sched::packing::nears_barrier(1, 0.999));  // Off.
  const Resources node = parts(10, 10);
  const Resources large = parts(8, 8);
  const Resources small = parts(1, 1);
  const Packer packing({}, node);
  const std::vector<sched::packing::Job> jobs(2);
  const std::vector<Candidate> candidates = {
      {.job = 0, .demand = &large}, {.job = 1, .demand = &small, .hurries = true}};
  EXPECT_EQ(packing.choose(node, packing.dimensions().all(1), jobs, candidates), 1u);
}

// Slide 25: the score is that of local resources; a task of which the input is elsewhere loses a
// part of it. A score that is no gain at all must not rise by that.
TEST(TetrisKnobs, RemoteTasksPayAPenalty) {
  EXPECT_DOUBLE_EQ(sched::packing::penalised(2, 0.1), 1.8);
  EXPECT_DOUBLE_EQ(sched::packing::penalised(-2, 0.1), -2.2);
  const Resources node = parts(10, 10);
  const Resources task = parts(2, 2);
  const Packer packing({}, node);
  const std::vector<sched::packing::Job> jobs = {{.submitted = 0}, {.submitted = 1}};
  const std::vector<Candidate> candidates = {
      {.job = 0, .demand = &task, .remote = true}, {.job = 1, .demand = &task}};
  EXPECT_EQ(packing.choose(node, packing.dimensions().all(1), jobs, candidates), 1u);
}

// Slide 26 compares alignment with other rules: each by hand, for d = (1/2, 1/4), a = (.6, .8).
TEST(TetrisKnobs, EachScoreByHand) {
  using sched::packing::ScoreName;
  using sched::packing::Shares;
  const Shares demand = {0.5, 0.25};
  const Shares free = {0.6, 0.8};
  const auto score_of = [&](ScoreName name, const Shares& weights) {
    return sched::packing::score(name, demand, free, weights);
  };
  EXPECT_DOUBLE_EQ(score_of(ScoreName::dot, {1, 1}), 0.5);
  EXPECT_DOUBLE_EQ(score_of(ScoreName::cosine, {1, 1}), 0.5 / std::sqrt(0.3125));
  EXPECT_DOUBLE_EQ(score_of(ScoreName::l2_difference, {1, 1}), -0.3125);
  EXPECT_DOUBLE_EQ(score_of(ScoreName::l2_ratio, {1, 1}), -(25.0 / 36 + 0.3125 * 0.3125));
  EXPECT_DOUBLE_EQ(score_of(ScoreName::sum, {1, 1}), 0.75);
  EXPECT_DOUBLE_EQ(score_of(ScoreName::product, {1, 1}), 0.125);

  EXPECT_DOUBLE_EQ(score_of(ScoreName::dot, {1, 0.5}), 0.4);
  EXPECT_DOUBLE_EQ(score_of(ScoreName::cosine, {1, 0.5}), 0.4 / std::sqrt(0.28125 * 0.68));
  EXPECT_DOUBLE_EQ(score_of(ScoreName::l2_difference, {1, 0.5}), -(0.01 + 0.3025 / 2));
  EXPECT_DOUBLE_EQ(score_of(ScoreName::l2_ratio, {1, 0.5}), -(25.0 / 36 + 0.3125 * 0.3125 / 2));
  EXPECT_DOUBLE_EQ(score_of(ScoreName::sum, {1, 0.5}), 0.625);
  EXPECT_DOUBLE_EQ(score_of(ScoreName::product, {1, 0.5}), 0.25);
}

}  // namespace
}  // namespace dunlin::test
