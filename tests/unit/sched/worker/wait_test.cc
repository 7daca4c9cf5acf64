// SPDX-License-Identifier: MIT
#include "sched/worker/wait.h"

#include <gtest/gtest.h>

#include "sched/job.h"
#include "tests/support/loose_parts.h"
#include "tests/support/solo.h"

namespace dunlin::test {
namespace {

using namespace std::chrono_literals;

/// A node of two CPUs.
class WaitTest : public Solo {
 protected:
  sched::Duration wait(std::uint32_t cpu, double work_ahead = 0) {
    return sched::expected_wait(
        parts.all, {.cpu = cpu, .memory = 1, .custom = {}}, work_ahead, now);
  }

  LooseParts parts{2000};
};

TEST_F(WaitTest, IsNoneWhereThereIsRoom) {
  parts.run(turn(), reserve_of(1, 60s));
  EXPECT_EQ(wait(1000), 0s);
}

TEST_F(WaitTest, LastsUntilEnoughTasksHaveEnded) {
  parts.run(turn(), reserve_of(1, 60s));
  parts.run(turn(), reserve_of(2, 20s));
  now += 5s;
  EXPECT_EQ(wait(1000), 15s);
  EXPECT_EQ(wait(2000), 55s);
}

TEST_F(WaitTest, ATaskThatTakesLongerThanExpectedMayTakeAsMuchAgain) {
  parts.run(turn(), reserve_of(1, 10s));
  parts.run(turn(), reserve_of(2, 60s));
  now += 25s;
  EXPECT_EQ(wait(1000), 25s);
}

TEST_F(WaitTest, TheWorkAheadIsSpreadOverTheCpus) {
  EXPECT_EQ(wait(1000, 30e9 * 1000), 15s);
  EXPECT_EQ(wait(1000, 1e300), sched::kTaskTimeMax) << "sums stay integers";
}

}  // namespace
}  // namespace dunlin::test
