// SPDX-License-Identifier: MIT
#include "sched/worker/walk/exhausted_groups.h"

#include <chrono>
#include <gtest/gtest.h>

#include "sched/worker/queued_reservation.h"
#include "tests/support/now.h"

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;
using test::kNow;

JobId id_of_job(std::uint32_t number) {
  return {.home = {7}, .number = number};
}

Reserve reserve(std::uint32_t number, std::uint16_t group, std::uint32_t probe) {
  Reserve reserve;
  reserve.job = id_of_job(number);
  reserve.group = group;
  reserve.probe = probe;
  return reserve;
}

TEST(ExhaustedGroups, CoversReservationsSentSoFarAndNoneSentLater) {
  ExhaustedGroups served;
  served.learn(kNow, id_of_job(1), 2, 20);
  EXPECT_TRUE(served.covers(kNow, reserve(1, 2, 20)));
  EXPECT_TRUE(served.covers(kNow, reserve(1, 2, 3)));
  EXPECT_FALSE(served.covers(kNow, reserve(1, 2, 21))) << "a task that was lost is asked for again";
  EXPECT_FALSE(served.covers(kNow, reserve(1, 3, 3)));
  EXPECT_FALSE(served.covers(kNow, reserve(2, 2, 3)));
}

TEST(ExhaustedGroups, NothingIsLearntFromZero) {
  ExhaustedGroups served;
  served.learn(kNow, id_of_job(1), 0, 0);
  EXPECT_FALSE(served.covers(kNow, reserve(1, 0, 0)));
}

TEST(ExhaustedGroups, IsForgottenAfterAMoment) {
  ExhaustedGroups served;
  served.learn(kNow, id_of_job(1), 0, 20);
  EXPECT_FALSE(served.covers(kNow + 2s, reserve(1, 0, 3))) << "its frontend may count anew";
}

TEST(ExhaustedGroups, IsBounded) {
  ExhaustedGroups served;
  for (std::uint32_t number = 1; number <= 1000; ++number)
    served.learn(kNow, id_of_job(number), 0, 9);
  int covered = 0;
  for (std::uint32_t number = 1; number <= 1000; ++number) {
    covered += served.covers(kNow, reserve(number, 0, 9)) ? 1 : 0;
  }
  EXPECT_GT(covered, 10);
  EXPECT_LT(covered, 100);
  EXPECT_TRUE(served.covers(kNow, reserve(1000, 0, 9))) << "the latest counts most";
}

}  // namespace
}  // namespace dunlin::sched
