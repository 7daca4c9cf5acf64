// SPDX-License-Identifier: MIT
#include "sched/frontend/user_holdings.h"

#include <gtest/gtest.h>

namespace dunlin::sched {
namespace {

JobState owned_job(std::uint32_t number, const std::string& owner, std::uint32_t count) {
  Job job{.id = {.home = {1}, .number = number}, .owner = owner};
  job.groups.push_back({.count = count, .demand = {.cpu = 1000}, .spec = std::string(1000, 's')});
  return JobState(std::move(job), Time{});
}

TEST(UserHoldings, CountsWhatHasNotFinishedByUser) {
  UserHoldings holdings;
  JobState first = owned_job(1, "alice", 10);
  JobState second = owned_job(2, "alice", 5);
  JobState third = owned_job(3, "bob", 1);
  for (const JobState* job : {&first, &second, &third}) holdings.update(*job);
  EXPECT_EQ(holdings.of("alice").jobs, 2u);
  EXPECT_EQ(holdings.of("alice").tasks, 15u);
  EXPECT_GE(holdings.of("alice").bytes, 2000u);
  EXPECT_EQ(holdings.of("alice").bytes, bytes_of(first.job()) + bytes_of(second.job()));
  EXPECT_EQ(holdings.of("carol"), UserHolding{});

  first.cancel(0);
  holdings.update(first);
  EXPECT_EQ(holdings.of("alice").tasks, 14u);
  first.cancel_all();
  first.finish(Time{});
  holdings.update(first);
  holdings.update(first);
  EXPECT_EQ(holdings.of("alice").jobs, 1u);
  EXPECT_EQ(holdings.of("alice").tasks, 5u);
  const std::uint32_t again[] = {0};
  (void)first.retry(again, &first.job());
  holdings.update(first);
  EXPECT_EQ(holdings.of("alice").jobs, 2u);
  EXPECT_EQ(holdings.of("alice").tasks, 6u);
  EXPECT_EQ(holdings.of("bob").jobs, 1u);
}

}  // namespace
}  // namespace dunlin::sched
