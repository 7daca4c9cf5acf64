// SPDX-License-Identifier: MIT
#include "sched/worker/queue.h"

#include <gtest/gtest.h>

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;

class QueueTest : public ::testing::Test {
 protected:
  Waiting waiting(
      std::uint32_t job, std::uint32_t cpu, Duration submitted, std::int16_t priority = 50) {
    Waiting w;
    w.reserve.job = {PeerId{1}, job};
    w.reserve.probe = job;
    w.reserve.demand.cpu = cpu;
    w.reserve.priority = priority;
    w.born = Time{submitted};
    return w;
  }
  /// The job chosen, or 0.
  std::uint32_t chosen(std::uint32_t cpu_free, Duration now) {
    const std::size_t i = queue.choose({.cpu = cpu_free, .memory = 0, .custom = {}}, Time{now});
    return i == queue.size() ? 0 : queue.waiting()[i].reserve.job.number;
  }

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

TEST_F(QueueTest, ErasesAGroupOrAWholeJob) {
  Waiting other = waiting(1, 1000, 0s);
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
