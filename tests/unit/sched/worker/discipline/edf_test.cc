// SPDX-License-Identifier: MIT
#include "sched/worker/discipline/edf.h"

#include <gtest/gtest.h>

#include "tests/support/loose_parts.h"

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;

/// A job submitted at this time, to end by `deadline` after it.
QueuedReservation submitted(std::uint32_t job, Duration at, OptionalDuration deadline) {
  Reserve reserve = test::reserve_of(job);
  reserve.deadline = deadline;
  return arriving(reserve, Time{at});
}

const EdfDiscipline kEdf{5s};

TEST(Edf, TheEarliestDeadlineGoesFirst) {
  EXPECT_TRUE(kEdf.before(submitted(2, 3s, 4s), submitted(1, 0s, 9s), Time{3s}));
  EXPECT_TRUE(kEdf.before(submitted(1, 0s, 9s), submitted(2, 3s, 7s), Time{3s}))
      << "a deadline counts from the submit";
}

TEST(Edf, TheSubmitOfAJobThatHasWaitedLiesBack) {
  Reserve waited = test::reserve_of(1);
  waited.deadline = 10s;
  waited.waited = 8s;
  EXPECT_EQ(arriving(waited, Time{20s}).due(), Time{22s});
}

TEST(Edf, JobsWithoutADeadlineComeLastInOrderOfSubmission) {
  EXPECT_TRUE(kEdf.before(submitted(9, 5s, 24h), submitted(1, 0s, {}), Time{6s}));
  EXPECT_TRUE(kEdf.before(submitted(9, 0s, {}), submitted(1, 1s, {}), Time{6s}));
}

}  // namespace
}  // namespace dunlin::sched
