// SPDX-License-Identifier: MIT
#include "sched/worker/queue.h"

#include <gtest/gtest.h>

#include "tests/support/loose_parts.h"
#include "tests/support/now.h"

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;
using test::kNow;
using test::reserve_of;

QueuedReservation of_group(std::uint32_t job, std::uint16_t group, std::uint32_t probe = 1) {
  Reserve reserve = reserve_of(job);
  reserve.group = group;
  reserve.probe = probe;
  return arriving(reserve, kNow);
}

JobId job(std::uint32_t number) {
  return reserve_of(number).job;
}

TEST(Queue, ErasesAGroupAndNoOther) {
  Queue queue(8);
  queue.push(of_group(1, 0));
  queue.push(of_group(1, 1));
  queue.push(of_group(2, 0));
  EXPECT_TRUE(queue.holds(job(1), 1));
  EXPECT_EQ(queue.erase(job(1), 1), 1u);
  EXPECT_FALSE(queue.holds(job(1), 1));
  EXPECT_TRUE(queue.holds(job(1), 0));
  EXPECT_EQ(queue.size(), 2u);
}

TEST(Queue, KnowsEachReservationByItsProbe) {
  Queue queue(8);
  queue.push(of_group(1, 0, 5));
  EXPECT_TRUE(queue.holds_probe(job(1), 5));
  EXPECT_FALSE(queue.holds_probe(job(1), 6));
  EXPECT_FALSE(queue.holds_probe(job(2), 5));
}

TEST(Queue, TakesOneAndKeepsTheOrderOfTheOthers) {
  Queue queue(8);
  for (const std::uint32_t number : {1u, 2u, 3u}) queue.push(of_group(number, 0));
  EXPECT_EQ(queue.take(1).reserve.job, job(2));
  ASSERT_EQ(queue.size(), 2u);
  EXPECT_EQ(queue[0].reserve.job, job(1));
  EXPECT_EQ(queue[1].reserve.job, job(3));
  EXPECT_EQ(queue.take_all().size(), 2u);
  EXPECT_TRUE(queue.empty());
  EXPECT_DEATH(queue.take(0), "no such reservation");
}

TEST(Queue, IsFullAtItsBoundAndTakesOneMoreForComparison) {
  Queue queue(2);
  queue.push(of_group(1, 0));
  EXPECT_FALSE(queue.full());
  queue.push(of_group(2, 0));
  EXPECT_TRUE(queue.full());
  queue.push(of_group(3, 0));
  EXPECT_DEATH(queue.push(of_group(4, 0)), "too many");
}

TEST(Queue, DropsAllOfAFrontend) {
  Queue queue(8);
  queue.push(of_group(1, 0));
  QueuedReservation other = of_group(2, 0);
  other.frontend.id = {98};
  queue.push(other);
  queue.erase_of({99});
  ASSERT_EQ(queue.size(), 1u);
  EXPECT_EQ(queue[0].frontend.id, PeerId{98});
}

TEST(Queue, SaysWhenTheNextMustBeConfirmed) {
  Queue queue(8);
  EXPECT_EQ(queue.next_confirm(), kNever);
  for (const auto when : {3s, 1s, 2s}) {
    QueuedReservation waiting = of_group(1, 0);
    waiting.next_confirm = kNow + when;
    queue.push(waiting);
  }
  EXPECT_EQ(queue.next_confirm(), kNow + 1s);
}

// Clocks are never compared: a frontend says how long its job has waited.
TEST(QueuedReservation, IsAsOldAsItsJob) {
  Reserve reserve = reserve_of(1);
  reserve.waited = 30s;
  const QueuedReservation arrived = arriving(reserve, kNow);
  EXPECT_EQ(arrived.born, kNow - 30s);
  EXPECT_EQ(arrived.frontend, (Endpoint{reserve.job.home, reserve.frontend}));
}

TEST(QueuedReservation, AsksForOneTaskAtLeastAndForNoMoreThanAnAnswerHolds) {
  Reserve reserve = reserve_of(1);
  reserve.tasks_max = 0;
  EXPECT_EQ(tasks_wanted(reserve), 1u);
  reserve.tasks_max = 1000;
  EXPECT_EQ(tasks_wanted(reserve), kRoomMax);
}

}  // namespace
}  // namespace dunlin::sched
