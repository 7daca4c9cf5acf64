// SPDX-License-Identifier: MIT
#include "sched/packing/packer.h"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

namespace dunlin::test {
namespace {

using sched::Resources;
using sched::packing::Candidate;
using sched::packing::Packer;
using sched::packing::Rules;
using sched::packing::ScoreName;
using sched::packing::Shares;

constexpr ScoreName kScores[] = {ScoreName::dot, ScoreName::cosine, ScoreName::l2_difference,
    ScoreName::l2_ratio, ScoreName::sum, ScoreName::product};

class PackerTest : public ::testing::Test {
 protected:
  Resources node{.cpu = 1000, .memory = 1000, .custom = {}};
  Resources large{.cpu = 800, .memory = 800, .custom = {}};
  Resources small{.cpu = 100, .memory = 100, .custom = {}};

  std::optional<std::size_t> chosen(const Rules& rules,
      const std::vector<sched::packing::Job>& jobs,
      const std::vector<Candidate>& candidates) const {
    const Packer packer(rules, node);
    return packer.choose(node, packer.dimensions().all(1), jobs, candidates);
  }
};

TEST_F(PackerTest, NothingComesOfNothing) {
  EXPECT_EQ(chosen({}, {}, {}), std::nullopt);
  EXPECT_EQ(chosen({}, {{}, {}}, {}), std::nullopt);
}

TEST_F(PackerTest, EqualOnesGoBySubmissionThenAsTheyStand) {
  const std::vector<sched::packing::Job> jobs = {
      {.submitted = 3}, {.submitted = 1}, {.submitted = 1}};
  EXPECT_EQ(chosen({}, jobs,
                {{.job = 0, .demand = &small}, {.job = 1, .demand = &small},
                    {.job = 2, .demand = &small}}),
      1u);
}

TEST_F(PackerTest, TheCircleLeavesNoRoomIdle) {
  // The job that holds least has nothing that fits, nor has the next; the others are served by
  // their shares.
  const std::vector<sched::packing::Job> jobs = {
      {.share = 0.1}, {.share = 0.2}, {.share = 0.9}, {.share = 0.5}};
  EXPECT_EQ(chosen({.fairness = 0.75}, jobs,
                {{.job = 2, .demand = &large}, {.job = 3, .demand = &small}}),
      1u);
}

TEST_F(PackerTest, EqualSharesAreCountedBySubmission) {
  const std::vector<sched::packing::Job> jobs = {
      {.submitted = 9}, {.submitted = 2}, {.submitted = 5}};
  EXPECT_EQ(chosen({.fairness = 0.9}, jobs,
                {{.job = 0, .demand = &large}, {.job = 1, .demand = &small},
                    {.job = 2, .demand = &large}}),
      1u);
}

TEST_F(PackerTest, FairnessComesBeforeTheBarrier) {
  const std::vector<sched::packing::Job> jobs = {{.share = 0.1}, {.share = 0.9}};
  const std::vector<Candidate> candidates = {
      {.job = 0, .demand = &small}, {.job = 1, .demand = &large, .hurries = true}};
  EXPECT_EQ(chosen({.fairness = 0}, jobs, candidates), 1u);
  EXPECT_EQ(chosen({.fairness = 0.5}, jobs, candidates), 0u);
}

// Some scores are negative. Short jobs are preferred all the same, and not the long ones.
TEST_F(PackerTest, ShortJobsAreFavouredByEachScore) {
  const std::vector<sched::packing::Job> jobs = {{.submitted = 1}, {.submitted = 2}};
  for (const ScoreName score : kScores) {
    EXPECT_EQ(chosen({.score = score}, jobs,
                  {{.job = 0, .demand = &small, .work_left = 100},
                      {.job = 1, .demand = &small, .work_left = 1}}),
        1u)
        << static_cast<int>(score);
  }
}

TEST_F(PackerTest, ScoresDiffer) {
  // The first is large, the second leaves least of what is free.
  const Resources wide{.cpu = 900, .memory = 0, .custom = {}};
  const Resources even{.cpu = 400, .memory = 400, .custom = {}};
  const Packer sum({.score = ScoreName::sum}, node);
  const Packer cosine({.score = ScoreName::cosine}, node);
  const Shares all = sum.dimensions().all(1);
  const auto prefers_wide = [&](const Packer& packer) {
    return packer.alignment({.demand = &wide}, all, all) >
        packer.alignment({.demand = &even}, all, all);
  };
  EXPECT_TRUE(prefers_wide(sum));
  EXPECT_FALSE(prefers_wide(cosine));
}

TEST(PackingScore, AnExhaustedResourceIsNoNumberToDivideBy) {
  const Shares demand = {0.5, 0.0};
  const Shares free = {0.5, 0.0};
  const Shares ones = {1.0, 1.0};
  for (const ScoreName score : kScores) {
    EXPECT_TRUE(std::isfinite(sched::packing::score(score, demand, free, ones)));
    EXPECT_TRUE(std::isfinite(sched::packing::score(score, {0, 0}, {0, 0}, ones)));
  }
}

TEST(PackingScore, ScarcityIsAPowerOfTheBacklog) {
  const auto weights = [](const Shares& backlog, double power) {
    const Shares found = sched::packing::scarcity_weights(backlog, power);
    return std::vector(found.begin(), found.end());
  };
  EXPECT_EQ(weights({4, 2, 0}, 0), (std::vector<double>{1, 1, 1})) << "the paper";
  EXPECT_EQ(weights({4, 2, 0}, 1), (std::vector<double>{1, 0.5, 0}));
  EXPECT_EQ(weights({4, 2, 0}, 4), (std::vector<double>{1, 0.0625, 0}));
  EXPECT_EQ(weights({0, 0}, 4), (std::vector<double>{1, 1})) << "nothing waits";
}

}  // namespace
}  // namespace dunlin::test
