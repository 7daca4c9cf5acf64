// SPDX-License-Identifier: MIT
#include "sched/frontend/workers/death_watch.h"

#include <gtest/gtest.h>
#include <set>

#include "tests/support/solo.h"

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;

class DeathWatchTest : public test::Solo {
 protected:
  static constexpr std::uint64_t kSelf = 99;
  static constexpr std::uint64_t kWorker = 3;

  /// Suspects worker 3 where nodes 1 to `count` are known; returns the nodes that are asked.
  std::set<std::uint64_t> suspect(std::size_t count) {
    known.clear();
    know_nodes(count);
    out.clear();
    Turn then = turn();
    watch.suspect(then, Surroundings(known), node(kWorker));
    std::set<std::uint64_t> asked;
    for (const auto& [to, message] : out.sent) {
      request = std::get<Inquiry>(message).request;
      asked.insert(to.id.value);
    }
    return asked;
  }
  bool silent(std::uint64_t witness, bool is_silent = true) {
    return watch.on_testimony(
        node(witness), {.request = request, .node = node(kWorker).id, .silent = is_silent});
  }

  DeathWatch watch{node(kSelf)};
  std::uint64_t request = 0;
};

TEST_F(DeathWatchTest, TwoOthersMustFindItSilentToo) {
  const auto asked = suspect(20);
  EXPECT_EQ(asked.size(), 1 + DeathWatch::kWitnesses);
  EXPECT_TRUE(asked.contains(kSelf));
  EXPECT_FALSE(asked.contains(kWorker));
  std::vector<std::uint64_t> others(asked.begin(), asked.end());
  std::erase(others, kSelf);
  EXPECT_FALSE(silent(others[0]));
  EXPECT_FALSE(silent(others[0])) << "it says so twice";
  EXPECT_FALSE(silent(kSelf));
  EXPECT_FALSE(silent(77)) << "it was not asked";
  EXPECT_TRUE(silent(others[1]));
  EXPECT_FALSE(silent(others[2])) << "that is known";
}

TEST_F(DeathWatchTest, ThisNodeMustFindItSilentItself) {
  const auto asked = suspect(20);
  for (const std::uint64_t witness : asked) {
    if (witness != kSelf) {
      EXPECT_FALSE(silent(witness));
    }
  }
  EXPECT_TRUE(silent(kSelf));
}

TEST_F(DeathWatchTest, OneThatReachesItIsEnoughToWait) {
  const auto asked = suspect(20);
  EXPECT_FALSE(silent(kSelf));
  std::vector<std::uint64_t> others(asked.begin(), asked.end());
  std::erase(others, kSelf);
  EXPECT_FALSE(silent(others[2], false));
  EXPECT_FALSE(silent(others[0]));
  EXPECT_FALSE(silent(others[1]));
  EXPECT_TRUE(suspect(20).empty()) << "the case is not opened with every look";
  now += DeathWatch::kPatience;
  EXPECT_FALSE(suspect(20).empty());
}

TEST_F(DeathWatchTest, TheOnlyOtherNodeIsWitnessEnough) {
  EXPECT_EQ(suspect(3).size(), 3u);
  known.clear();
  watch.clear(node(kWorker).id);
  know_nodes(1);
  out.clear();
  Turn then = turn();
  watch.suspect(then, Surroundings(known), node(kWorker));
  ASSERT_EQ(out.sent.size(), 2u);
  request = std::get<Inquiry>(out.sent[0].second).request;
  EXPECT_FALSE(silent(kSelf));
  EXPECT_TRUE(silent(1));
}

TEST_F(DeathWatchTest, WithoutAnyOtherNodeTheLeasesDecide) {
  out.clear();
  Turn then = turn();
  watch.suspect(then, Surroundings(Surroundings::Nodes{}), node(kWorker));
  EXPECT_TRUE(out.sent.empty());
}

TEST_F(DeathWatchTest, AWordOfTheWorkerEndsTheCase) {
  const auto asked = suspect(20);
  watch.clear(node(kWorker).id);
  for (const std::uint64_t witness : asked) EXPECT_FALSE(silent(witness));
}

}  // namespace
}  // namespace dunlin::sched
