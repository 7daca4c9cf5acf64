// SPDX-License-Identifier: MIT
#include "sched/worker/health.h"

#include <gtest/gtest.h>

#include "tests/support/now.h"

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;
using test::kNow;

class HealthTest : public ::testing::Test {
 protected:
  void end(Outcome outcome, Cause cause = Cause::task) {
    health.on_end(kNow, {.outcome = outcome, .detail = "cannot fork", .cause = cause});
  }
  void fail_start() { end(Outcome::spawn_failed, Cause::start); }

  WorkerParams params{.trial_period = 5s};
  Health health{params};
};

TEST_F(HealthTest, TwoFailedStartsInARowMakeANodeSick) {
  fail_start();
  end(Outcome::exited);
  fail_start();
  EXPECT_FALSE(health.sick()) << "one worked in between";
  EXPECT_EQ(health.next_trial(), kNever);
  fail_start();
  EXPECT_TRUE(health.sick());
  EXPECT_EQ(health.reason(), "tasks cannot start: cannot fork");
  EXPECT_EQ(health.next_trial(), kNow + 5s);
}

TEST_F(HealthTest, ADiskWithoutRoomMakesANodeSickUntilThereIsSome) {
  health.on_verdict(kNow, HealthJudge::disk, "disk full: /d, 12 MB free");
  EXPECT_TRUE(health.sick());
  EXPECT_EQ(health.next_trial(), kNever) << "a trial says nothing about the disk";
  health.on_verdict(kNow, HealthJudge::operators, "too hot");
  EXPECT_EQ(health.reason(), "too hot; disk full: /d, 12 MB free");
  health.on_verdict(kNow, HealthJudge::operators, "");
  EXPECT_EQ(health.reason(), "disk full: /d, 12 MB free");
  health.on_verdict(kNow, HealthJudge::disk, "");
  EXPECT_FALSE(health.sick());
}

TEST_F(HealthTest, WhatIsTheTasksFaultSaysNothing) {
  for (int i = 0; i < 5; ++i) end(Outcome::spawn_failed);
  for (int i = 0; i < 5; ++i) end(Outcome::not_found);
  EXPECT_FALSE(health.sick()) << "or a user could make every node sick";
}

TEST_F(HealthTest, LostTasksHadStarted) {
  for (int i = 0; i < 5; ++i) end(Outcome::spawn_failed, Cause::lost);
  EXPECT_FALSE(health.sick());
  fail_start();
  end(Outcome::spawn_failed, Cause::lost);
  fail_start();
  EXPECT_TRUE(health.sick()) << "nor does one that is lost show that starts work";
}

TEST_F(HealthTest, TrialsGoOnUntilOneWorks) {
  fail_start();
  fail_start();
  EXPECT_FALSE(health.take_trial(kNow + 4s));
  EXPECT_TRUE(health.take_trial(kNow + 5s));
  EXPECT_FALSE(health.take_trial(kNow + 1h)) << "one at a time";
  health.on_verdict(kNow + 6s, HealthJudge::starts, "no warden");
  EXPECT_EQ(health.reason(), "tasks cannot start: no warden");
  EXPECT_TRUE(health.take_trial(kNow + 11s));
  health.on_verdict(kNow + 12s, HealthJudge::starts, "");
  EXPECT_FALSE(health.sick());
  EXPECT_EQ(health.next_trial(), kNever);
  fail_start();
  EXPECT_FALSE(health.sick()) << "the count begins anew";
}

TEST_F(HealthTest, AVerdictThatNobodyWaitsForIsIgnored) {
  health.on_verdict(kNow, HealthJudge::starts, "too late");
  EXPECT_FALSE(health.sick());
}

TEST_F(HealthTest, TheOperatorsCommandJudgesBesideThat) {
  health.on_verdict(kNow, HealthJudge::operators, "disk is full");
  EXPECT_EQ(health.reason(), "disk is full");
  EXPECT_EQ(health.next_trial(), kNever) << "no trial could mend that";
  fail_start();
  fail_start();
  EXPECT_EQ(health.reason(), "disk is full; tasks cannot start: cannot fork");
  EXPECT_TRUE(health.take_trial(kNow + 5s));
  health.on_verdict(kNow + 5s, HealthJudge::starts, "");
  EXPECT_EQ(health.reason(), "disk is full");
  health.on_verdict(kNow + 6s, HealthJudge::operators, "");
  EXPECT_FALSE(health.sick());
}

TEST_F(HealthTest, AReasonFitsAMessage) {
  health.on_verdict(kNow, HealthJudge::operators, std::string(1000, 'x'));
  fail_start();
  fail_start();
  EXPECT_EQ(health.reason().size(), Facts::kSickMax);
}

}  // namespace
}  // namespace dunlin::sched
