// SPDX-License-Identifier: MIT
#include "sched/frontend/tasks/setbacks.h"

#include <gtest/gtest.h>

#include "tests/support/now.h"

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;
using test::kNow;

std::vector<PeerId> avoided(const Setbacks& setbacks, std::uint32_t index, Time now = kNow) {
  const auto nodes = setbacks.avoided(index, now);
  return {nodes.begin(), nodes.end()};
}

TEST(Setbacks, TheRestDoublesWithinABound) {
  Setbacks setbacks;
  Duration rest{0};
  for (int i = 0; i < 20; ++i) {
    setbacks.add(3, {7}, kNow);
    const Duration next = setbacks.next() - kNow;
    EXPECT_EQ(next, i == 0 ? 250ms : std::min<Duration>(2 * rest, 1min)) << i;
    rest = next;
  }
  EXPECT_EQ(rest, 1min);
  EXPECT_TRUE(setbacks.rests(3));
  EXPECT_FALSE(setbacks.rests(4));
}

TEST(Setbacks, EachTaskRestsForItself) {
  Setbacks setbacks;
  setbacks.add(1, {7}, kNow);
  setbacks.add(2, {7}, kNow + 1s);
  setbacks.add(2, {8}, kNow + 1s);
  EXPECT_EQ(setbacks.next(), kNow + 250ms);
  EXPECT_EQ(setbacks.rested(kNow + 1s), std::vector<std::uint32_t>{1});
  setbacks.wake(1);
  EXPECT_FALSE(setbacks.rests(1));
  EXPECT_EQ(setbacks.next(), kNow + 1500ms);
  EXPECT_EQ(setbacks.awake(0, 9), std::vector<std::uint32_t>{1});
  setbacks.erase(2);
  EXPECT_EQ(setbacks.next(), kNever);
}

TEST(Setbacks, EveryNodeThatFailedATaskIsAvoided) {
  Setbacks setbacks;
  setbacks.add(1, {7}, kNow);
  setbacks.add(1, {8}, kNow);
  setbacks.add(1, {7}, kNow);
  EXPECT_EQ(avoided(setbacks, 1), (std::vector<PeerId>{{8}, {7}}));
  EXPECT_TRUE(avoided(setbacks, 2).empty());
  setbacks.forgive(1);
  EXPECT_TRUE(avoided(setbacks, 1).empty());
}

TEST(Setbacks, OnlySoManyNodesAreRemembered) {
  Setbacks setbacks;
  for (std::uint64_t node = 1; node <= 100; ++node) setbacks.add(1, {node}, kNow);
  EXPECT_EQ(avoided(setbacks, 1).size(), 64u);
  EXPECT_EQ(avoided(setbacks, 1).back(), PeerId{100});
}

// A frontend may be wrong about the others for ever.
TEST(Setbacks, ATaskThatNoOtherNodeTookMayGoBack) {
  Setbacks setbacks;
  setbacks.add(1, {7}, kNow);
  const Time ready = setbacks.next();
  setbacks.wake(1);
  EXPECT_FALSE(avoided(setbacks, 1, ready + 1min).empty());
  EXPECT_TRUE(avoided(setbacks, 1, ready + 61s).empty());
  setbacks.wait_again(1, kNow + 1h);
  EXPECT_FALSE(avoided(setbacks, 1, kNow + 1h).empty()) << "one took it, and then it waits anew";
}

TEST(Setbacks, AreRestoredWithoutTheirRest) {
  Setbacks setbacks;
  const std::vector<PeerId> nodes{{7}, {8}, {7}};
  setbacks.restore(1, nodes, kNow);
  EXPECT_FALSE(setbacks.rests(1));
  EXPECT_EQ(avoided(setbacks, 1), (std::vector<PeerId>{{8}, {7}}));
  setbacks.add(1, {9}, kNow);
  EXPECT_EQ(setbacks.next(), kNow + 2s) << "it had three";
}

}  // namespace
}  // namespace dunlin::sched
