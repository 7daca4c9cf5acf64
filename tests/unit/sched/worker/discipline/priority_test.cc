// SPDX-License-Identifier: MIT
#include "sched/worker/discipline/priority.h"

#include <gtest/gtest.h>

#include "tests/support/loose_parts.h"

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;

/// A job of this priority, submitted at this time.
QueuedReservation waiting(std::uint32_t job, std::int16_t priority, Duration submitted) {
  Reserve reserve = test::reserve_of(job);
  reserve.priority = priority;
  return arriving(reserve, Time{submitted});
}

const PriorityDiscipline kPriority{5s, 10s};

TEST(Priority, GoesBeforeAge) {
  EXPECT_TRUE(kPriority.before(waiting(2, 51, 1s), waiting(1, 50, 0s), Time{2s}));
}

TEST(Priority, WaitingIsWorthPriority) {
  const auto old = waiting(1, 50, 0s);
  const auto urgent = waiting(2, 51, 20s);
  EXPECT_TRUE(kPriority.before(old, urgent, Time{21s})) << "21 s are worth two points, 1 s none";
  EXPECT_FALSE(kPriority.before(old, waiting(3, 52, 20s), Time{19s})) << "19 s are worth one";
}

TEST(Priority, EqualWorthIsServedInOrderOfSubmission) {
  EXPECT_TRUE(kPriority.before(waiting(2, 50, 2s), waiting(1, 50, 3s), Time{4s}));
  EXPECT_TRUE(kPriority.before(waiting(1, 50, 0s), waiting(2, 51, 5s), Time{12s}))
      << "a whole point each";
}

}  // namespace
}  // namespace dunlin::sched
