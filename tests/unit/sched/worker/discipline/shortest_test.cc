// SPDX-License-Identifier: MIT
#include "sched/worker/discipline/shortest.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

#include "tests/support/loose_parts.h"

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;

/// Ranks by work alone, unless a test says otherwise. Ageing is 10 s.
class ShortestTest : public ::testing::Test {
 protected:
  void rank_with(double length_weight) {
    shortest = ShortestDiscipline(5s, 10s, length_weight);
    waiting.clear();
  }
  void push(std::uint32_t job, Duration work, Duration submitted, std::int16_t priority = 50) {
    push_tasks(job, work, 1s, submitted, priority);
  }
  void push_tasks(std::uint32_t job,
      Duration work,
      Duration each,
      Duration submitted = 0s,
      std::int16_t priority = 50) {
    Reserve reserve = test::reserve_of(job, each);
    reserve.work = work;
    reserve.priority = priority;
    waiting.push_back(arriving(reserve, Time{submitted}));
  }
  void erase(std::uint32_t job) {
    std::erase_if(waiting, [&](const auto& each) { return each.reserve.job.number == job; });
  }
  /// The job that is served first.
  std::uint32_t first(Duration now) const {
    return std::ranges::min_element(waiting, [&](const auto& a, const auto& b) {
      return shortest.before(a, b, Time{now});
    })->reserve.job.number;
  }

  ShortestDiscipline shortest{5s, 10s, 1};
  std::vector<QueuedReservation> waiting;
};

TEST_F(ShortestTest, TheLeastWorkLeftGoesFirst) {
  push(1, 100s, 0s);
  push(2, 10s, 1s);
  EXPECT_EQ(first(1s), 2u);
}

TEST_F(ShortestTest, TheLengthOfTasksCountsAsMuchAsItIsSaidTo) {
  for (const double weight : {1.0, 0.5, 0.0}) {
    rank_with(weight);
    push_tasks(1, 400s, 100s);  // 4 tasks: 400, 40, 4.
    push_tasks(2, 72s, 4s);     // 18 tasks: 72, 36, 18.
    EXPECT_EQ(first(0s), weight == 0 ? 1u : 2u) << weight;
    push_tasks(3, 300s, 900s);  // A third of a task: 300, 10, 1/3.
    EXPECT_EQ(first(0s), weight == 1 ? 2u : 3u) << weight;
  }
}

TEST_F(ShortestTest, TasksWhoseLengthIsNotToldCountAsTenSeconds) {
  rank_with(0.5);
  push_tasks(1, 100s, 0s);
  push_tasks(2, 99s, 10s);
  push_tasks(3, 101s, 10s);
  EXPECT_EQ(first(0s), 2u);
  erase(2);
  EXPECT_EQ(first(0s), 1u);
}

TEST_F(ShortestTest, WaitingMakesAJobSeemShorter) {
  push(1, 100s, 0s);
  push(2, 10s, 89s);
  EXPECT_EQ(first(89s), 2u) << "100 s after nine times `ageing` seem 10.1 s";
  push(3, 10s, 91s);
  EXPECT_EQ(first(91s), 2u) << "the older of two";
  erase(2);
  EXPECT_EQ(first(91s), 1u) << "9.9 s against 10 s: nobody starves";
}

TEST_F(ShortestTest, TwoPointsOfPriorityHalveTheWork) {
  push(1, 100s, 0s, 50);
  push(2, 199s, 0s, 52);
  EXPECT_EQ(first(0s), 2u);
  waiting.clear();
  push(1, 100s, 0s, 50);
  push(2, 201s, 0s, 52);
  EXPECT_EQ(first(0s), 1u);
}

TEST_F(ShortestTest, EqualRanksAreServedInOrderOfSubmission) {
  push(2, 0s, 1s);
  push(1, 0s, 2s);
  EXPECT_EQ(first(9s), 2u);
}

}  // namespace
}  // namespace dunlin::sched
