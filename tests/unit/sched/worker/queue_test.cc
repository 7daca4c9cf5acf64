// SPDX-License-Identifier: MIT
#include "sched/worker/queue.h"

#include <gtest/gtest.h>

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;

class QueueTest : public ::testing::Test {
 protected:
  QueuedReservation waiting(
      std::uint32_t job, std::uint32_t cpu, Duration submitted, std::int16_t priority = 50) {
    QueuedReservation w;
    w.reserve.job = {PeerId{1}, job};
    w.reserve.probe = job;
    w.reserve.demand.cpu = cpu;
    w.reserve.priority = priority;
    w.born = Time{submitted};
    return w;
  }
  /// The job chosen, or 0.
  std::uint32_t chosen(std::uint32_t cpu_free, Duration now) {
    const auto fit = [&](const Reserve& reserve) {
      if (reserve.probe == barred) return Fit::barred;
      return reserve.demand.cpu <= cpu_free ? Fit::yes : Fit::no;
    };
    const std::size_t i = queue.choose(fit, Time{now});
    return i == queue.size() ? 0 : queue.waiting()[i].reserve.job.number;
  }

  std::uint32_t barred = 0;  ///< A probe that may not have what is free.
  WorkerParams params{.discipline = Discipline::fifo, .ageing = 10s, .overtake = 5s};
  Queue queue{params};
};

TEST_F(QueueTest, FifoServesTheJobSubmittedFirstHoweverLateItsReservationCame) {
  queue.push(waiting(1, 1000, 3s));
  queue.push(waiting(2, 1000, 1s));
  queue.push(waiting(3, 1000, 2s));
  EXPECT_EQ(chosen(1000, 4s), 2u);
  EXPECT_EQ(queue.ahead_of(0, Time{4s}), 2u);
}

TEST_F(QueueTest, NothingIsChosenThatDoesNotFit) {
  queue.push(waiting(1, 2000, 0s));
  EXPECT_EQ(chosen(1999, 1s), 0u);
  EXPECT_EQ(chosen(2000, 1s), 1u);
}

TEST_F(QueueTest, SmallOnesOvertakeALargeOneForAWhileThenRoomIsKept) {
  queue.push(waiting(1, 4000, 0s));
  queue.push(waiting(2, 1000, 1s));
  EXPECT_EQ(chosen(1000, 5s), 2u);
  EXPECT_EQ(chosen(1000, 5001ms), 0u) << "the large one has waited long enough";
  EXPECT_EQ(chosen(4000, 6s), 1u);
}

TEST_F(QueueTest, PriorityBeforeAge) {
  params.discipline = Discipline::priority;
  queue = Queue{params};
  queue.push(waiting(1, 1000, 0s, 50));
  queue.push(waiting(2, 1000, 1s, 51));
  EXPECT_EQ(chosen(1000, 2s), 2u);
}

TEST_F(QueueTest, AgeingIsWorthPriority) {
  params.discipline = Discipline::priority;
  queue = Queue{params};
  queue.push(waiting(1, 1000, 0s, 50));
  queue.push(waiting(2, 1000, 20s, 51));
  EXPECT_EQ(chosen(1000, 21s), 1u) << "21 s of waiting are worth two points, 1 s none";
}

TEST_F(QueueTest, EqualPriorityIsServedInOrderOfSubmission) {
  params.discipline = Discipline::priority;
  queue = Queue{params};
  queue.push(waiting(1, 1000, 3s));
  queue.push(waiting(2, 1000, 2s));
  EXPECT_EQ(chosen(1000, 4s), 2u);
}

/// Ranks by work alone, unless a test says otherwise.
class ShortestTest : public QueueTest {
 protected:
  ShortestTest() { rank_with(1); }
  void rank_with(double length_weight) {
    params.discipline = Discipline::shortest;
    params.length_weight = length_weight;
    queue = Queue{params};
  }
  void push(std::uint32_t job, Duration work, Duration submitted, std::int16_t priority = 50) {
    push_tasks(job, work, 1s, submitted, priority);
  }
  void push_tasks(std::uint32_t job,
      Duration work,
      Duration each,
      Duration submitted = 0s,
      std::int16_t priority = 50) {
    QueuedReservation w = waiting(job, 1000, submitted, priority);
    w.reserve.work = work;
    w.reserve.task_time = each;
    queue.push(w);
  }
};

TEST_F(ShortestTest, TheLeastWorkLeftGoesFirst) {
  push(1, 100s, 0s);
  push(2, 10s, 1s);
  EXPECT_EQ(chosen(1000, 1s), 2u);
}

TEST_F(ShortestTest, TheLengthOfTasksCountsAsMuchAsItIsSaidTo) {
  for (const double weight : {1.0, 0.5, 0.0}) {
    rank_with(weight);
    push_tasks(1, 400s, 100s);  // 4 tasks: 400, 40, 4.
    push_tasks(2, 72s, 4s);     // 18 tasks: 72, 36, 18.
    EXPECT_EQ(chosen(1000, 0s), weight == 0 ? 1u : 2u) << weight;
    push_tasks(3, 300s, 900s);  // A third of a task: 300, 10, 1/3.
    EXPECT_EQ(chosen(1000, 0s), weight == 1 ? 2u : 3u) << weight;
  }
}

TEST_F(ShortestTest, TasksWhoseLengthIsNotToldCountAsTenSeconds) {
  rank_with(0.5);
  push_tasks(1, 100s, 0s);
  push_tasks(2, 99s, 10s);
  push_tasks(3, 101s, 10s);
  EXPECT_EQ(chosen(1000, 0s), 2u);
  queue.erase({PeerId{1}, 2}, kAllGroups);
  EXPECT_EQ(chosen(1000, 0s), 1u);
}

TEST_F(ShortestTest, WaitingMakesAJobSeemShorter) {
  push(1, 100s, 0s);
  push(2, 10s, 89s);
  EXPECT_EQ(chosen(1000, 89s), 2u) << "100 s after nine times `ageing` seem 10.1 s";
  push(3, 10s, 91s);
  EXPECT_EQ(chosen(1000, 91s), 2u) << "the older of two";
  queue.erase({PeerId{1}, 2}, kAllGroups);
  EXPECT_EQ(chosen(1000, 91s), 1u) << "9.9 s against 10 s: nobody starves";
}

TEST_F(ShortestTest, TwoPointsOfPriorityHalveTheWork) {
  push(1, 100s, 0s, 50);
  push(2, 199s, 0s, 52);
  EXPECT_EQ(chosen(1000, 0s), 2u);
  queue = Queue{params};
  push(1, 100s, 0s, 50);
  push(2, 201s, 0s, 52);
  EXPECT_EQ(chosen(1000, 0s), 1u);
}

TEST_F(ShortestTest, NoRoomIsKeptForWhatIsBarred) {
  push(1, 1s, 0s);
  push(2, 10s, 0s);
  barred = 1;
  EXPECT_EQ(chosen(1000, 60s), 2u) << "it waits for other room than this";
}

TEST_F(QueueTest, ErasesAGroupOrAWholeJob) {
  QueuedReservation other = waiting(1, 1000, 0s);
  other.reserve.group = 1;
  queue.push(waiting(1, 1000, 0s));
  queue.push(other);
  queue.push(waiting(2, 1000, 0s));
  EXPECT_TRUE(queue.holds({PeerId{1}, 1}, 1));
  EXPECT_EQ(queue.erase({PeerId{1}, 1}, 1), 1u);
  EXPECT_FALSE(queue.holds({PeerId{1}, 1}, 1));
  EXPECT_EQ(queue.erase({PeerId{1}, 1}, kAllGroups), 1u);
  EXPECT_EQ(queue.size(), 1u);
}

}  // namespace
}  // namespace dunlin::sched
