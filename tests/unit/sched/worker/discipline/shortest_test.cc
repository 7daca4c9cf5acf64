// SPDX-License-Identifier: MIT
#include "sched/worker/discipline/shortest.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

#include "tests/support/loose_parts.h"

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;

/// Ranks by work alone, unless a test says otherwise. Patience is two tasks of 5 s.
class ShortestTest : public ::testing::Test {
 protected:
  void rank_with(double length_weight) {
    shortest = ShortestDiscipline(5s, length_weight, 2);
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
    shortest.weigh(waiting.back());
  }
  void erase(std::uint32_t job) {
    std::erase_if(waiting, [&](const auto& each) { return each.reserve.job.number == job; });
  }
  /// The job that is served first.
  std::uint32_t first(Duration now, Duration mean_task_time = 5s) const {
    return std::ranges::min_element(waiting, [&](const auto& a, const auto& b) {
      return shortest.before(a, b, {Time{now}, mean_task_time});
    })->reserve.job.number;
  }

  ShortestDiscipline shortest{5s, 1, 2};
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
  EXPECT_EQ(first(89s), 2u) << "100 s after 18 tasks of 5 s seem 10.1 s";
  push(3, 10s, 91s);
  EXPECT_EQ(first(91s), 2u) << "the older of two";
  erase(2);
  EXPECT_EQ(first(91s), 1u) << "9.9 s against 10 s: no job starves";
}

// Ten seconds are an age among tasks of 100 ms, and nothing among tasks of ten minutes.
TEST_F(ShortestTest, PatienceCountsInMeanTaskLengths) {
  push(1, 100s, 0s);
  push(2, 10s, 20s);
  EXPECT_EQ(first(20s, 5s), 2u) << "100 s after 4 tasks seem 33 s";
  EXPECT_EQ(first(20s, 100ms), 1u) << "after 200 tasks they seem 1 s";
  EXPECT_EQ(first(1h, 10min), 2u) << "after 6 tasks 25 s, against 2.5 s";
}

// The bound of the header: when a job of rest S has waited w, one of rest s that was submitted d
// later is before it only if d < (w + x m) (1 - s / S).
TEST_F(ShortestTest, AJobWaitsOnlyForThoseThatComeSoonerThanItAges) {
  constexpr Duration kPatience = 2 * 5s;
  for (const int smaller : {1, 10, 50, 99}) {
    for (const Duration waited : {Duration{1s}, Duration{30s}, Duration{1000s}}) {
      const double share = 1 - smaller / 100.0;
      const double bound = std::chrono::duration<double>(waited + kPatience).count() * share;
      for (const double part : {.999, 1.001}) {
        const Duration later{static_cast<std::int64_t>(bound * part * 1e9)};
        if (later > waited) continue;  // It is not there yet.
        waiting.clear();
        push(1, 100s, 0s);
        push(2, std::chrono::seconds(smaller), later);
        EXPECT_EQ(first(waited), part < 1 ? 2u : 1u) << smaller << " s, " << waited.count();
      }
    }
  }
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
