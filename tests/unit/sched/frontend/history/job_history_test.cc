// SPDX-License-Identifier: MIT
#include "sched/frontend/history/job_history.h"

#include <gtest/gtest.h>

#include "tests/support/now.h"

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;
using test::kNow;

constexpr std::uint32_t kSparesNone = 0;

class JobHistoryTest : public ::testing::Test {
 protected:
  void ends(std::uint32_t number, Duration at, const std::string& user, std::uint64_t tasks = 0) {
    history.add(number, user, kNow + at, {.record = 10, .tasks = tasks});
  }
  /// The job of of_largest(), below zero if the records of its tasks are enough.
  int chosen(
      Duration until = 1h, std::uint32_t spared = kSparesNone, bool tasks_are_enough = true) {
    const auto choice = history.of_largest(kNow + until, spared, tasks_are_enough);
    if (!choice) return 0;
    const auto number = static_cast<int>(choice->number);
    return choice->tasks ? -number : number;
  }

  JobHistory history;
};

TEST_F(JobHistoryTest, TheFirstIsTheOneThatEndedFirstWhateverItsNumber) {
  ends(3, 1s, "anna");
  ends(1, 3s, "anna");
  ends(2, 2s, "ben");
  EXPECT_EQ(history.first(kNow + 1h, kSparesNone), 3u);
  EXPECT_EQ(history.first(kNow + 1h, 3), 2u) << "the newest stays";
  EXPECT_EQ(history.first(kNow + 1s, kSparesNone), std::nullopt) << "none ended before";
  EXPECT_EQ(history.first(kNow + 2s, 3), std::nullopt);
  history.remove(3);
  history.remove(3);
  EXPECT_EQ(history.first(kNow + 1h, kSparesNone), 2u);
  EXPECT_EQ(history.count(), 2u);
  EXPECT_EQ(history.bytes(), 20u);
}

TEST_F(JobHistoryTest, TheUserThatTakesMostLosesFirstAndTasksBeforeJobs) {
  ends(1, 1s, "anna", 5);
  ends(2, 2s, "ben", 50);
  ends(3, 3s, "ben", 1);
  ends(4, 4s, "ben");
  EXPECT_EQ(history.bytes(), 96u);
  EXPECT_EQ(chosen(), -2);
  history.prune(2);
  EXPECT_EQ(history.bytes(), 46u);
  EXPECT_EQ(history.size_of(2), (HistorySize{.record = 10, .tasks = 0}));
  EXPECT_EQ(chosen(), -3);
  history.prune(3);
  EXPECT_EQ(chosen(), 2) << "30 bytes of ben's, 15 of anna's";
  history.remove(2);
  history.remove(3);
  EXPECT_EQ(chosen(), -1);
  history.prune(1);
  EXPECT_EQ(chosen(), 4) << "of equal ones the last by name";
  history.remove(4);
  history.remove(1);
  EXPECT_EQ(chosen(), 0);
  EXPECT_EQ(history.bytes(), 0u);
}

TEST_F(JobHistoryTest, JobsGoAsAWholeIfTheirNumberIsTooLarge) {
  ends(1, 1s, "anna", 5);
  ends(2, 2s, "anna", 5);
  EXPECT_EQ(chosen(1h, kSparesNone, false), 1);
  EXPECT_EQ(chosen(1h, 1, false), 2);
}

TEST_F(JobHistoryTest, WhatEndedAMomentAgoStaysAndOthersGoForIt) {
  ends(1, 1s, "anna");
  ends(2, 8s, "ben", 500);
  EXPECT_EQ(chosen(5s), 1);
  EXPECT_EQ(chosen(1s), 0) << "all are too young";
  EXPECT_EQ(chosen(9s), -2);
}

TEST_F(JobHistoryTest, TheNewestLosesItsTasksButNotItsNumber) {
  ends(1, 1s, "anna", 5);
  EXPECT_EQ(chosen(1h, 1), -1);
  history.prune(1);
  EXPECT_EQ(chosen(1h, 1), 0);
}

// Users beyond those that are looked at take less; still, their jobs may be the ones that are old.
TEST_F(JobHistoryTest, OldJobsOfManySmallUsersAreFound) {
  ends(1, 1s, "zoe", 1);
  for (std::uint32_t i = 2; i < 200; ++i) ends(i, 9s, "user" + std::to_string(i), 100);
  EXPECT_EQ(chosen(5s), -1);
  EXPECT_EQ(chosen(5s, kSparesNone, false), 1);
}

}  // namespace
}  // namespace dunlin::sched
