// SPDX-License-Identifier: MIT
#include "sched/frontend/job_state.h"

#include <gtest/gtest.h>
#include <variant>

#include "sched/frontend/job_length.h"
#include "tests/support/builders.h"
#include "tests/support/now.h"

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;

using test::kNow;
const Endpoint kSeven{.id = {7}, .address = {}};
const Endpoint kEight{.id = {8}, .address = {}};

class JobStateTest : public ::testing::Test {
 protected:
  static JobState with(std::uint32_t tasks, std::uint16_t retries = 0, Duration duration = {}) {
    Job job = test::job(tasks);
    job.groups[0].duration = duration;
    job.groups[0].retries = retries;
    return {std::move(job), kNow};
  }
  static Attempt bind(JobState& job, const Endpoint& worker = kSeven) {
    const auto bound = job.bind(0, worker, 1, kNow);
    EXPECT_TRUE(bound);
    return bound.value_or(Attempt{});
  }
  static Report report(const Attempt& of, Outcome outcome, std::int32_t status = 0) {
    return {.index = of.index, .attempt = of.attempt, .outcome = outcome, .status = status};
  }
  static TaskState state(const JobState& job, std::uint32_t index = 0) {
    return job.task(index).state;
  }
};

TEST_F(JobStateTest, BindsEachTaskOnceByIndex) {
  JobState job = with(2);
  EXPECT_EQ(bind(job), (Attempt{0, 1}));
  EXPECT_EQ(bind(job), (Attempt{1, 1}));
  EXPECT_FALSE(job.bind(0, kSeven, 1, kNow));
  EXPECT_EQ(job.counts()[TaskState::launched], 2u);
  EXPECT_EQ(job.groups()[0].waiting, 0u);
  EXPECT_EQ(job.bindings().at(1).worker, kSeven);
}

TEST_F(JobStateTest, ConfirmsOnlyWhatIsBoundThere) {
  JobState job = with(1);
  const Attempt task = bind(job);
  EXPECT_TRUE(job.confirm(task, {kSeven}, kNow + 1s));
  EXPECT_EQ(job.bindings().at(0).confirmed, kNow + 1s);
  EXPECT_FALSE(job.confirm(task, {kEight}, kNow + 2s));
  EXPECT_FALSE(job.confirm({0, 2}, {kSeven}, kNow + 2s));
  EXPECT_FALSE(job.confirm({9, 1}, {kSeven}, kNow + 2s));
  EXPECT_EQ(job.bindings().at(0).confirmed, kNow + 1s);
}

TEST_F(JobStateTest, ATaskThatIsToStopKeepsItsLeaseButIsNotConfirmed) {
  JobState job = with(1);
  const Attempt task = bind(job);
  EXPECT_FALSE(job.cancel(0)) << "its worker will tell how it ended";
  EXPECT_EQ(state(job), TaskState::cancelling);
  EXPECT_FALSE(job.confirm(task, {kSeven}, kNow + 1s));
  EXPECT_EQ(job.bindings().at(0).confirmed, kNow + 1s);
}

TEST_F(JobStateTest, ALostTaskWaitsAgainUnderANewNumber) {
  JobState job = with(1);
  bind(job);
  const TaskRecord record = job.lose(0, kNow);
  EXPECT_EQ(std::get<LossRecord>(record).attempt, (Attempt{0, 1}));
  EXPECT_EQ(std::get<LossRecord>(record).worker, kSeven.id);
  EXPECT_EQ(state(job), TaskState::waiting);
  EXPECT_EQ(bind(job, kEight), (Attempt{0, 2}));
}

TEST_F(JobStateTest, OnlyWhatIsBoundCanBeLost) {
  JobState job = with(1);
  EXPECT_DEATH(job.lose(0, kNow), "only what is bound can be lost");
}

TEST_F(JobStateTest, ATaskToStopThatIsLostIsCancelled) {
  JobState job = with(1);
  bind(job);
  job.cancel(0);
  const TaskRecord record = job.lose(0, kNow);
  EXPECT_TRUE(std::get<ReportRecord>(record).final);
  EXPECT_EQ(std::get<ReportRecord>(record).report.outcome, Outcome::killed);
  EXPECT_EQ(state(job), TaskState::cancelled);
}

TEST_F(JobStateTest, IsGivenBackByItsWorkerAlone) {
  JobState job = with(1);
  const Attempt task = bind(job);
  EXPECT_FALSE(job.refuse(task, kEight.id, kNow));
  EXPECT_FALSE(job.refuse({0, 2}, kSeven.id, kNow));
  EXPECT_TRUE(std::holds_alternative<LossRecord>(*job.refuse(task, kSeven.id, kNow)));
  EXPECT_EQ(state(job), TaskState::waiting);
}

TEST_F(JobStateTest, TakesTheLastLostAttemptBack) {
  JobState job = with(1);
  const Attempt task = bind(job);
  EXPECT_FALSE(job.adopt(task, {kSeven}, kNow)) << "it is bound";
  job.lose(0, kNow);
  EXPECT_FALSE(job.adopt({0, 2}, {kSeven}, kNow)) << "nobody was given it";
  EXPECT_FALSE(job.adopt({9, 1}, {kSeven}, kNow));
  EXPECT_TRUE(job.adopt(task, {kSeven}, kNow + 1s));
  EXPECT_EQ(state(job), TaskState::launched);
  EXPECT_EQ(job.bindings().at(0).bound, kNow + 1s);
  EXPECT_EQ(job.task(0).attempts.losses(), 0u);
}

TEST_F(JobStateTest, ASuccessIsTheResultWhicheverAttemptItIsOf) {
  JobState job = with(1);
  const Attempt first = bind(job);
  job.lose(0, kNow);
  const Attempt second = bind(job, kEight);
  const auto ending = job.end(report(first, Outcome::exited), kSeven.id, kNow);
  ASSERT_TRUE(ending);
  EXPECT_TRUE(ending->record.final);
  ASSERT_TRUE(ending->replaced);
  EXPECT_EQ(*ending->replaced, (std::pair{kEight, second}));
  EXPECT_EQ(state(job), TaskState::succeeded);
  EXPECT_TRUE(job.bindings().empty());
  EXPECT_FALSE(job.end(report(second, Outcome::exited), kEight.id, kNow)) << "one result";
}

TEST_F(JobStateTest, AFailureOfAnAttemptThatWasReplacedIsNotHeard) {
  JobState job = with(1);
  const Attempt first = bind(job);
  job.lose(0, kNow);
  const Attempt second = bind(job, kEight);
  EXPECT_FALSE(job.end(report(first, Outcome::exited, 1), kSeven.id, kNow));
  EXPECT_FALSE(job.end(report(second, Outcome::exited, 1), kSeven.id, kNow)) << "not its worker";
  EXPECT_FALSE(job.end(report({9, 1}, Outcome::exited), kSeven.id, kNow));
  EXPECT_EQ(state(job), TaskState::launched);
}

TEST_F(JobStateTest, FailuresAreForgivenAsOftenAsTheUserSays) {
  JobState job = with(1, 1);
  auto ending = job.end(report(bind(job), Outcome::exited, 1), kSeven.id, kNow);
  EXPECT_FALSE(ending->record.final);
  EXPECT_EQ(state(job), TaskState::waiting);
  ending = job.end(report(bind(job), Outcome::signalled, 9), kSeven.id, kNow);
  EXPECT_TRUE(ending->record.final);
  EXPECT_EQ(state(job), TaskState::failed);
}

TEST_F(JobStateTest, StopsUnaskedAreNobodysFailure) {
  JobState job = with(1);
  for (int i = 0; i < 5; ++i) {
    const auto ending = job.end(report(bind(job), Outcome::killed), kSeven.id, kNow);
    EXPECT_FALSE(ending->record.final);
  }
  EXPECT_EQ(job.task(0).attempts.losses(), 5u);
}

TEST_F(JobStateTest, APreemptedAttemptIsMadeAgainAndCounts) {
  JobState job = with(1, 1);
  EXPECT_EQ(job.requeue(0), nullptr) << "it does not run";
  const Attempt first = bind(job);
  ASSERT_NE(job.requeue(0), nullptr);
  EXPECT_TRUE(job.bindings().at(0).requeued);
  for (const Attempt& attempt : {first, Attempt{0, 2}}) {
    const auto ending = job.end(report(attempt, Outcome::preempted), kSeven.id, kNow);
    ASSERT_TRUE(ending);
    EXPECT_FALSE(ending->record.final);
    EXPECT_EQ(bind(job).attempt, attempt.attempt + 1);
    EXPECT_FALSE(job.bindings().at(0).requeued) << "another attempt";
  }
  EXPECT_EQ(job.preemptions(0), 2u);
  EXPECT_EQ(job.task(0).attempts.failures(), 0u);
  // One that is cancelled meanwhile is not made again.
  job.cancel(0);
  EXPECT_EQ(job.requeue(0), nullptr);
  const auto ending = job.end(report({0, 3}, Outcome::preempted), kSeven.id, kNow);
  EXPECT_EQ(ending->record.report.outcome, Outcome::killed);
  EXPECT_TRUE(ending->record.final);
  EXPECT_EQ(state(job), TaskState::cancelled);
}

// Its home may have died between its answer and the word to the worker.
TEST_F(JobStateTest, ARequeuedAttemptRunsAgainThoughItEndedByItself) {
  JobState job = with(1);
  for (const Outcome outcome : {Outcome::exited, Outcome::signalled}) {
    const Attempt attempt = bind(job);
    ASSERT_NE(job.requeue(0), nullptr);
    const auto ending = job.end(report(attempt, outcome), kSeven.id, kNow);
    ASSERT_TRUE(ending);
    EXPECT_EQ(ending->record.report.outcome, Outcome::preempted);
    EXPECT_FALSE(ending->record.final);
    EXPECT_EQ(state(job), TaskState::waiting);
  }
  const Attempt lost = bind(job);
  ASSERT_NE(job.requeue(0), nullptr);
  job.lose(0, kNow);
  const Attempt next = bind(job);
  EXPECT_FALSE(job.end(report(lost, Outcome::exited), kSeven.id, kNow)) << "another runs by now";
  EXPECT_TRUE(job.end(report(next, Outcome::exited), kSeven.id, kNow)->record.final);
  EXPECT_EQ(state(job), TaskState::succeeded);
}

TEST_F(JobStateTest, AttemptsThatCouldNotStartAreForgivenAFewTimes) {
  JobState job = with(1);
  for (int i = 0; i < 3; ++i) {
    job.end(report(bind(job), Outcome::spawn_failed), kSeven.id, kNow);
    EXPECT_TRUE(job.end_rests(kNow + 1min));
  }
  EXPECT_EQ(state(job), TaskState::waiting);
  job.end(report(bind(job), Outcome::spawn_failed), kSeven.id, kNow);
  EXPECT_EQ(state(job), TaskState::failed);
}

TEST_F(JobStateTest, ATaskToStopMayEndByItselfFirst) {
  JobState job = with(2);
  const Attempt good = bind(job);
  const Attempt bad = bind(job);
  job.cancel(0);
  job.cancel(1);
  job.end(report(good, Outcome::exited), kSeven.id, kNow);
  job.end(report(bad, Outcome::exited, 1), kSeven.id, kNow);
  EXPECT_EQ(state(job, 0), TaskState::succeeded);
  EXPECT_EQ(state(job, 1), TaskState::failed) << "as a restarted frontend reads its result";
  EXPECT_TRUE(job.counts().all_final());
}

TEST_F(JobStateTest, ACancelledTaskThatWaitsEndsHere) {
  JobState job = with(1);
  const auto record = job.cancel(0);
  ASSERT_TRUE(record);
  EXPECT_TRUE(record->final);
  EXPECT_EQ(record->report.outcome, Outcome::killed);
  EXPECT_EQ(state(job), TaskState::cancelled);
  EXPECT_FALSE(job.cancel(0));
}

TEST_F(JobStateTest, ACancelledJobIsOneRecord) {
  JobState job = with(3);
  bind(job);
  EXPECT_TRUE(job.cancel_all().cancelled);
  EXPECT_EQ(state(job, 0), TaskState::cancelling);
  EXPECT_EQ(job.counts()[TaskState::cancelled], 2u);
}

class RestoredJobState : public JobStateTest {
 protected:
  static constexpr Time kHeld = kNow + 3s;
};

TEST_F(RestoredJobState, HandsNothingOutUntilWorkersHadTimeToReport) {
  JobState job = with(1);
  const auto progress = job.restore({.restarts = 4}, {}, kNow, kHeld);
  ASSERT_TRUE(progress);
  EXPECT_EQ(progress->restarts, 5u);
  EXPECT_FALSE(job.bind(0, kSeven, 1, kHeld - 1ns));
  EXPECT_EQ(job.bind(0, kSeven, 1, kHeld), (Attempt{0, 6}));
}

TEST_F(RestoredJobState, HearsOfAttemptsThatItDoesNotRemember) {
  JobState job = with(1, 1);
  job.restore({}, {}, kNow, kHeld);
  EXPECT_FALSE(job.end(report({0, 1}, Outcome::exited, 1), kSeven.id, kHeld)) << "too late";
  const auto ending = job.end(report({0, 1}, Outcome::exited, 1), kSeven.id, kNow);
  ASSERT_TRUE(ending);
  EXPECT_FALSE(ending->record.final);
  EXPECT_EQ(job.task(0).attempts.failures(), 1u);
}

TEST_F(RestoredJobState, TakesOverResults) {
  JobState job = with(4);
  const std::vector<StoredTask> tasks = {{.index = 0, .finished = true, .wall = 2s},
      {.index = 1, .finished = true, .status = 1},
      {.index = 2, .finished = true, .outcome = Outcome::killed},
      {.index = 3, .failures = 1, .losses = 2, .ended = 1, .lost = 3},
      {.index = 4, .finished = true}};
  job.restore({}, tasks, kNow, kHeld);
  EXPECT_EQ(state(job, 0), TaskState::succeeded);
  EXPECT_EQ(state(job, 1), TaskState::failed);
  EXPECT_EQ(state(job, 2), TaskState::cancelled);
  EXPECT_EQ(job.task(3).attempts, TaskAttempts(1, 2, 1, 3));
  EXPECT_EQ(task_time(job, 0, kNow, 7s), 2s);
  EXPECT_FALSE(job.finished());
}

TEST_F(RestoredJobState, ACancelledJobHasFinished) {
  JobState job = with(2);
  EXPECT_FALSE(job.restore({.cancelled = true}, {{.index = 0, .finished = true}}, kNow, kHeld));
  EXPECT_EQ(job.finished(), kNow);
  EXPECT_EQ(job.counts()[TaskState::cancelled], 1u);
  EXPECT_EQ(job.progress().restarts, 0u) << "nothing of it goes on";
}

}  // namespace
}  // namespace dunlin::sched
