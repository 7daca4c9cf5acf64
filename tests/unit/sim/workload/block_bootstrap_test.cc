// SPDX-License-Identifier: MIT
#include "sim/workload/block_bootstrap.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <set>

namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;
using overlay::Rng;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Job i, from 0, comes i² ms after the first and takes i + 1 ms: so its gap and its length name
/// it.
std::vector<TraceJob> squares(std::int64_t count) {
  std::vector<TraceJob> jobs;
  for (std::int64_t i = 0; i < count; ++i) {
    TraceJob& job = jobs.emplace_back();
    job.at = Duration{7s} + i * i * Duration{1ms};
    job.durations = {(i + 1) * Duration{1ms}};
  }
  return jobs;
}

std::int64_t index_of(const TraceJob& job) {
  return job.durations.front() / Duration{1ms} - 1;
}

TEST(BlockBootstrap, JobsOfABlockFollowEachOtherAsTheyCame) {
  const auto jobs = squares(100);
  const auto drawn = block_bootstrap(jobs, 10, Rng{1});
  ASSERT_EQ(drawn.size(), jobs.size());
  EXPECT_EQ(drawn.front().at, jobs.front().at);
  for (std::size_t i = 1; i < drawn.size(); ++i) {
    const std::int64_t index = index_of(drawn[i]);
    if (i % 10 != 0) {
      EXPECT_EQ(index, (index_of(drawn[i - 1]) + 1) % 100) << i;
    }
    const Duration gap = drawn[i].at - drawn[i - 1].at;
    // i² - (i - 1)²; the first has the mean of all.
    EXPECT_EQ(gap, index == 0 ? Duration{99ms} : (2 * index - 1) * Duration{1ms}) << i;
  }
}

TEST(BlockBootstrap, EveryJobIsAsLikelyAsEveryOther) {
  const auto jobs = squares(50);
  std::map<std::int64_t, int> times;
  constexpr int kDraws = 2000;
  Rng rng{3};
  for (int i = 0; i < kDraws; ++i) {
    for (const TraceJob& job : block_bootstrap(jobs, 7, rng.fork())) ++times[index_of(job)];
  }
  ASSERT_EQ(times.size(), 50u);
  // Each is drawn 2,000 times on average; blocks of 7 make a deviation of some 50.
  for (const auto& [index, count] : times) EXPECT_NEAR(count, kDraws, 250) << index;
}

TEST(BlockBootstrap, ABlockOfAllIsTheTraceTurned) {
  std::set<std::int64_t> seen;
  for (const TraceJob& job : block_bootstrap(squares(20), 1000, Rng{5})) seen.insert(index_of(job));
  EXPECT_EQ(seen.size(), 20u);
}

TEST(BlockBootstrap, AJobThatIsDrawnTwiceIsTwoJobs) {
  auto jobs = squares(30);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    jobs[i].key = 1000 + i;
    jobs[i].family = 500 + i / 2;  // Two stages each.
    if (i % 2 == 1) jobs[i].parents = {1000 + i - 1};
  }
  std::set<std::uint64_t> keys;
  const auto drawn = block_bootstrap(jobs, 3, Rng{2});
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    EXPECT_TRUE(keys.insert(drawn[i].key).second) << "a key for two jobs";
    if (index_of(drawn[i]) % 2 == 0) continue;
    // Its parent is the job before it, if that is of the same block.
    if (i % 3 == 0) {
      EXPECT_THAT(drawn[i].parents, IsEmpty());
    } else {
      EXPECT_THAT(drawn[i].parents, ElementsAre(drawn[i - 1].key));
      EXPECT_EQ(drawn[i].family, drawn[i - 1].family);
    }
  }
  std::map<std::uint64_t, int> of_family;
  for (const TraceJob& job : drawn) EXPECT_LE(++of_family[job.family], 2);
}

TEST(BlockBootstrap, AStageMayWaitForOneThatIsListedAfterIt) {
  auto jobs = squares(2);
  jobs[0].key = 1;
  jobs[1].key = 2;
  jobs[0].parents = {2};
  // Both are of the one block, whichever is drawn first.
  for (const TraceJob& job : block_bootstrap(jobs, 2, Rng{4})) {
    if (index_of(job) == 0) {
      EXPECT_EQ(job.parents.size(), 1u);
    }
  }
}

TEST(BlockBootstrap, NothingMakesNothingAndOneMakesOne) {
  EXPECT_THAT(block_bootstrap({}, 5, Rng{1}), IsEmpty());
  EXPECT_EQ(block_bootstrap(squares(1), 5, Rng{1}).size(), 1u);
}

}  // namespace
}  // namespace dunlin::sim
