// SPDX-License-Identifier: MIT
#include <cerrno>
#include <cstdlib>
#include <gtest/gtest.h>
#include <span>
#include <vector>

#include "sched/frontend/job_state.h"
#include "tests/support/builders.h"
#include "tests/support/now.h"

// Attempts that came to nothing by their nodes' fault.
namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;
using test::kNow;

const Endpoint kBad{.id = {7}, .address = {}};
const Endpoint kGood{.id = {8}, .address = {}};

class JobSetbacks : public ::testing::Test {
 protected:
  static JobState with(std::uint32_t tasks) { return {test::job(tasks), kNow}; }
  static Attempt bind(JobState& job) {
    const auto bound = job.bind(0, kBad, 1, kNow);
    EXPECT_TRUE(bound);
    return bound.value_or(Attempt{});
  }
  static Report failed(const Attempt& of, Cause cause = Cause::start) {
    return {
        .index = of.index, .attempt = of.attempt, .outcome = Outcome::spawn_failed, .cause = cause};
  }
  static TaskState state(const JobState& job) { return job.task(0).state; }
};

TEST_F(JobSetbacks, WhatIsItsNodesFaultNeverEndsATask) {
  for (const Cause cause : {Cause::start, Cause::lost}) {
    JobState job = with(1);
    for (int i = 0; i < 40; ++i) {
      const auto ending = job.end(failed(bind(job), cause), kBad.id, kNow);
      ASSERT_TRUE(ending);
      EXPECT_FALSE(ending->record.final);
      EXPECT_EQ(job.groups()[0].waiting, 0u) << "it rests";
      EXPECT_EQ(job.groups()[0].resting, 1u);
      EXPECT_FALSE(job.bind(0, kGood, 1, kNow));
      ASSERT_TRUE(job.end_rests(job.setbacks().next()));
      EXPECT_EQ(job.groups()[0].waiting, 1u);
    }
    EXPECT_EQ(job.task(0).attempts.failures(), 0u) << "it costs no retry";
    EXPECT_EQ(job.task(0).attempts.losses(), 40u);
    EXPECT_EQ(bind(job).attempt, 41u);
  }
}

// A task that fills each disk it meets would go round for ever.
TEST_F(JobSetbacks, ThreeFullDisksEndATask) {
  JobState job = with(1);
  for (int i = 0; i < 3; ++i) {
    Report full = failed(bind(job), Cause::lost);
    full.status = ENOSPC;
    full.detail = "exit 1 after its output could not be written";
    EXPECT_FALSE(job.end(full, kBad.id, kNow)->record.final) << i;
    EXPECT_EQ(job.task(0).attempts.failures(), 0u) << "it costs no retry";
    ASSERT_TRUE(job.end_rests(job.setbacks().next()));
  }
  Report last = failed(bind(job), Cause::lost);
  last.status = EDQUOT;
  last.detail = "exit 1 after its output could not be written";
  const auto ending = job.end(last, kBad.id, kNow);
  ASSERT_TRUE(ending);
  EXPECT_TRUE(ending->record.final);
  EXPECT_EQ(state(job), TaskState::failed);
  EXPECT_EQ(ending->record.report.outcome, Outcome::exited);
  EXPECT_EQ(ending->record.report.status, EXIT_FAILURE);
  EXPECT_EQ(ending->record.report.detail, last.detail) << "it says why";
}

TEST_F(JobSetbacks, ATaskAvoidsTheWorkerThatFailedItWhileOthersCouldTakeIt) {
  JobState job = with(2);
  job.end(failed(bind(job)), kBad.id, kNow);
  job.end_rests(kNow + 1s);
  std::vector<PeerId> asked;
  const auto others = [&](std::span<const PeerId> avoided) {
    asked.assign(avoided.begin(), avoided.end());
    return true;
  };
  EXPECT_EQ(job.bind(0, kBad, 1, kNow + 1s, others)->index, 1u) << "the other task";
  EXPECT_EQ(asked, std::vector{kBad.id});
  EXPECT_FALSE(job.bind(0, kBad, 1, kNow + 1s, others));
  EXPECT_EQ(job.bind(0, kGood, 1, kNow + 1s, others)->index, 0u);
}

TEST_F(JobSetbacks, ATaskGoesBackIfNoOtherWorkerCouldTakeIt) {
  JobState job = with(1);
  job.end(failed(bind(job)), kBad.id, kNow);
  job.end_rests(kNow + 1s);
  const auto none = [](std::span<const PeerId>) { return false; };
  EXPECT_TRUE(job.bind(0, kBad, 1, kNow + 1s, none));
  EXPECT_TRUE(job.setbacks().avoided(0, kNow + 1s).empty());
}

TEST_F(JobSetbacks, ATaskThatRestsMayBeCancelled) {
  JobState job = with(1);
  job.end(failed(bind(job)), kBad.id, kNow);
  EXPECT_TRUE(job.cancel(0));
  EXPECT_EQ(state(job), TaskState::cancelled);
  EXPECT_EQ(job.groups()[0].resting, 0u);
  EXPECT_EQ(job.groups()[0].waiting, 0u);
  EXPECT_EQ(job.setbacks().next(), kNever);
}

TEST_F(JobSetbacks, WorkersToAvoidAreRestored) {
  JobState job = with(1);
  job.restore(
      {.restarts = 1}, {{.index = 0, .losses = 1, .ended = 1, .avoided = {kBad.id}}}, kNow, kNow);
  const auto others = [](std::span<const PeerId>) { return true; };
  EXPECT_FALSE(job.bind(0, kBad, 1, kNow, others));
  EXPECT_TRUE(job.bind(0, kGood, 1, kNow, others));
}

TEST_F(JobSetbacks, ATaskThatIsBeingCancelledIsCancelledThen) {
  JobState job = with(1);
  const Attempt running = bind(job);
  EXPECT_FALSE(job.cancel(0));
  const auto ending = job.end(failed(running, Cause::lost), kBad.id, kNow);
  ASSERT_TRUE(ending);
  EXPECT_EQ(state(job), TaskState::cancelled);
  EXPECT_EQ(ending->record.report.outcome, Outcome::killed) << "as a restarted frontend reads it";
}

}  // namespace
}  // namespace dunlin::sched
