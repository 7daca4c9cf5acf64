// SPDX-License-Identifier: MIT
#include "sched/worker/frontends/frontend_words.h"

#include <gtest/gtest.h>

#include "tests/support/solo.h"
#include "tests/unit/sched/worker/wired_parts.h"

namespace dunlin::test {
namespace {

using namespace std::chrono_literals;

/// Task 0 of job 1 runs; frontend 99 has it.
class FrontendWordsTest : public Solo {
 protected:
  FrontendWordsTest() { parts.run(turn(), reserve_of(1, 10s)); }

  void receive(std::uint64_t from, const auto& word) {
    auto now_turn = turn();
    words.on_message(now_turn, node(from), word);
  }
  bool killed() const { return parts.running.running().front().killed; }

  WiredParts parts;
  sched::FrontendWords words{
      parts.wired, parts.running, parts.reservations, parts.ties, parts.follow_up};
  const sched::JobId job = reserve_of(1).job;
};

TEST_F(FrontendWordsTest, AStrangerHasNoSay) {
  receive(42, sched::Kill{.job = job, .tasks = {{0, 1}}});
  EXPECT_FALSE(killed());
  EXPECT_TRUE(parts.ties.leases().all().empty());
  receive(99, sched::Kill{.job = job, .tasks = {{0, 1}}});
  EXPECT_TRUE(killed());
  EXPECT_EQ(parts.ties.leases().all().size(), 1u);
}

TEST_F(FrontendWordsTest, WhatIsCancelledWaitsNoMoreAndOthersAreAskedFor) {
  parts.wait(now, reserve_of(2));
  parts.wait(now, reserve_of(3));
  receive(99, sched::Cancel{.job = reserve_of(2).job});
  EXPECT_EQ(out.only<sched::GetTask>().job.number, 3u);
  EXPECT_TRUE(parts.queue.empty());
}

TEST_F(FrontendWordsTest, OneThatAsksHearsWhatRunsAndWhatIsNotHere) {
  receive(99, sched::AskAfter{.job = job, .tasks = {{0, 1}, {7, 1}}});
  const auto here = out.only<sched::Renew>();
  ASSERT_EQ(here.tasks.size(), 1u);
  EXPECT_EQ(here.load.cpu_free, 3000u);
  EXPECT_EQ(out.only<sched::Refused>().tasks.front().index, 7u);
}

TEST_F(FrontendWordsTest, TasksYieldByThePriorityThatTheirUserSets) {
  receive(99, sched::RenewAck{.job = job, .has_priority = true, .priority = -5});
  EXPECT_EQ(parts.running.running().front().yield.priority, -5);
}

TEST_F(FrontendWordsTest, AReportThatIsAcknowledgedIsNotDueAnyMore) {
  auto now_turn = turn();
  (void)parts.running.end(now_turn, {.job = job, .report = {.index = 0, .attempt = 1}});
  parts.follow_up.schedule(now);
  EXPECT_EQ(parts.timers.at(sched::WorkerTimer::outbox), now);
  receive(99, sched::DoneAck{.job = job, .tasks = {{0, 1}}});
  EXPECT_EQ(parts.timers.at(sched::WorkerTimer::outbox), sched::kNever);
}

}  // namespace
}  // namespace dunlin::test
