// SPDX-License-Identifier: MIT
#include "node/agent/shutdown.h"

#include <gtest/gtest.h>

namespace dunlin::node {
namespace {

using namespace std::chrono_literals;
using Verdict = Shutdown::Verdict;

constexpr overlay::Time at(std::chrono::seconds seconds) {
  return overlay::Time{seconds};
}

/// Tasks have until 60 s, and cells 15 s after that.
Shutdown begun() {
  Shutdown shutdown;
  EXPECT_FALSE(shutdown.begun());
  shutdown.begin(at(60s), 15s);
  EXPECT_TRUE(shutdown.begun());
  return shutdown;
}

TEST(Shutdown, AnIdleNodeThatNoCellNeedsStopsAtOnce) {
  EXPECT_EQ(begun().verdict(at(0s), true, true), Verdict::stop);
}

TEST(Shutdown, TasksAreWaitedForUntilTheirDeadline) {
  Shutdown shutdown = begun();
  EXPECT_EQ(shutdown.verdict(at(59s), false, true), Verdict::wait);
  EXPECT_EQ(shutdown.verdict(at(60s), false, true), Verdict::stop);
}

TEST(Shutdown, CellsHaveTheirPatienceFromTheMomentThatTasksAreDone) {
  Shutdown shutdown = begun();
  EXPECT_EQ(shutdown.verdict(at(20s), false, false), Verdict::wait);
  EXPECT_EQ(shutdown.verdict(at(30s), true, false), Verdict::wait);
  EXPECT_EQ(shutdown.verdict(at(44s), true, false), Verdict::wait);
  EXPECT_EQ(shutdown.verdict(at(45s), true, false), Verdict::haste);
}

TEST(Shutdown, CellsHaveTheirPatienceAfterTasksThatDidNotEnd) {
  Shutdown shutdown = begun();
  EXPECT_EQ(shutdown.verdict(at(60s), false, false), Verdict::wait);
  EXPECT_EQ(shutdown.verdict(at(70s), false, true), Verdict::stop);
  EXPECT_EQ(shutdown.verdict(at(75s), false, false), Verdict::haste);
}

}  // namespace
}  // namespace dunlin::node
