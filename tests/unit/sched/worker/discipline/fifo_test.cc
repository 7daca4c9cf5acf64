// SPDX-License-Identifier: MIT
#include "sched/worker/discipline/fifo.h"

#include <gtest/gtest.h>

#include "tests/support/loose_parts.h"

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;
using test::reserve_of;

TEST(Fifo, ServesTheJobSubmittedFirstHoweverLateItsReservationCame) {
  const FifoDiscipline fifo(5s);
  Reserve reserve = reserve_of(1);
  const QueuedReservation early = arriving(reserve, Time{100s});
  reserve = reserve_of(2);
  reserve.waited = 3s;
  const QueuedReservation late = arriving(reserve, Time{102s});
  EXPECT_TRUE(fifo.before(late, early, Time{103s})) << "submitted at 99 s, at another node";
  EXPECT_FALSE(fifo.before(early, late, Time{103s}));
}

TEST(Fifo, KnowsNeitherPriorityNorSize) {
  const FifoDiscipline fifo(5s);
  Reserve urgent = reserve_of(2, 1ms);
  urgent.priority = 100;
  const QueuedReservation first = arriving(reserve_of(1, 1h), Time{100s});
  EXPECT_TRUE(fifo.before(first, arriving(urgent, Time{101s}), Time{102s}));
}

}  // namespace
}  // namespace dunlin::sched
