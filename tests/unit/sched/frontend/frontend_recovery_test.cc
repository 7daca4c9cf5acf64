// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <limits>

#include "tests/unit/sched/frontend/frontend_restart.h"

// The knowledge of a frontend's next life about the one before: all that was stored, and no more.
namespace dunlin::test {
namespace {

using sched::Frontend;
using std::chrono::hours;
using std::chrono::seconds;

TEST_F(FrontendRestart, JobsKeepTheirAge) {
  const Frontend frontend = restored(stored(now - seconds(60)));
  EXPECT_GT(age(frontend), seconds(60));
  EXPECT_EQ(waited(), sched::whole_milliseconds(age(frontend)));
}

// The machine booted 100 s ago, the job is a day old.
TEST_F(FrontendRestart, JobsMayBeOlderThanTheClock) {
  const Frontend frontend = restored(stored(now - hours(24)));
  EXPECT_GT(age(frontend), hours(24));
  EXPECT_GT(waited(), hours(24));
}

TEST_F(FrontendRestart, AgesSaturate) {
  for (const sched::Time submitted : {sched::Time::min(), now - hours(24 * 365 * 200)}) {
    out.clear();
    const Frontend frontend = restored(stored(submitted));
    EXPECT_GT(age(frontend), hours(24 * 365 * 99));
    EXPECT_EQ(waited(), std::chrono::milliseconds(std::numeric_limits<std::uint32_t>::max()))
        << "as it is on the wire";
  }
}

// The wall clock was set back while the agent was down.
TEST_F(FrontendRestart, NoJobIsSubmittedInTheFuture) {
  for (const sched::Time submitted : {now + hours(1), sched::Time::max()}) {
    out.clear();
    const sched::Time begin = now;
    const Frontend frontend = restored(stored(submitted));
    EXPECT_EQ(age(frontend), now - begin);
    EXPECT_EQ(waited(), sched::whole_milliseconds(now - begin));
  }
}

// By default workers rank jobs by what is left of them: tasks and their length.
TEST_F(FrontendRestart, JobsRememberHowLongTheirTasksTake) {
  sched::StoredJob job = stored(now);
  job.job = test::job(4);
  job.job.id = {.home = kHome, .number = 1};
  job.tasks.push_back({.index = 0, .finished = true, .wall = seconds(3)});
  job.tasks.push_back({.index = 1, .finished = true, .status = 1, .wall = seconds(60)});
  job.tasks.push_back({.index = 2, .finished = true, .wall = seconds(5)});
  restored(std::move(job));
  const auto reservation = out.all<sched::Reserve>().front();
  EXPECT_EQ(reservation.task_time, seconds(4)) << "as those that succeeded did";
  EXPECT_EQ(reservation.work, seconds(4)) << "one is left";
}

TEST_F(FrontendRestart, WithoutAWallClockJobsAreNew) {
  const sched::Time begin = now;
  const Frontend frontend = restored(stored(std::nullopt));
  EXPECT_EQ(age(frontend), now - begin);
}

/// A frontend with one job of one task, bound and reported by node 7. `crash()` begins its next
/// incarnation with what the store has.
class FrontendAttempts : public FrontendRestart {
 protected:
  void submit(std::uint16_t retries) {
    sched::Job job = test::job(1);
    job.groups[0].retries = retries;
    job.id = frontend.next_job(1);
    auto now_turn = turn();
    frontend.submit(now_turn, around(), std::move(job));
    keep_records();
  }
  /// Node 7 asks for the task; returns the attempt it gets, or 0.
  std::uint32_t bind() {
    hear(sched::GetTask{.job = id, .request = ++request, .incarnation = 1, .room = 1});
    const auto given = out.all<sched::Tasks>().back().tasks;
    return given.empty() ? std::uint32_t{0} : given[0].attempt;
  }
  void fails(std::uint32_t attempt) { ends(attempt, sched::Outcome::exited); }
  void ends(std::uint32_t attempt, sched::Outcome outcome) {
    sched::Done done{.job = id, .reports = {}, .load = {}};
    done.reports.push_back({.index = 0, .attempt = attempt, .outcome = outcome, .status = 9});
    hear(done);
    EXPECT_EQ(out.all<sched::DoneAck>().back().tasks[0].attempt, attempt) << "or it is told again";
  }
  /// Node 7 says that an attempt still runs. True if it may go on.
  bool renew(std::uint32_t attempt) {
    out.clear();
    sched::Renew renew{.job = id, .incarnation = 1, .tasks = {}, .load = {}};
    renew.tasks.push_back({.index = 0, .attempt = attempt});
    hear(renew);
    return out.all<sched::Kill>().empty();
  }
  /// Nothing is heard of the attempt that is bound until its lease ends.
  void lose() {
    now += 2 * params.task_lease;
    auto now_turn = turn();
    frontend.wake(now_turn, around());
    keep_records();
    ASSERT_EQ(state(), sched::TaskState::waiting);
  }
  void crash() {
    frontend = Frontend(params, node(kHome.value));
    auto now_turn = turn();
    frontend.restore(now_turn, store.load());
    keep_records();
  }
  void keep_records() {
    store.commit(store.take_turn());
    EXPECT_EQ(store.violation(), "");
  }
  void wait_for_reports() { now += params.recovery_wait; }

  const sched::JobState& job() const { return *frontend.find(id); }
  sched::TaskState state() const { return job().task(0).state; }

  const sched::JobId id{.home = kHome, .number = 1, .lineage = 1};
  Frontend frontend{params, node(kHome.value)};
  std::uint32_t request = 0;

 private:
  void hear(const auto& message) {
    auto now_turn = turn();
    frontend.on_message(now_turn, around(), node(7), message);
    keep_records();
  }
};

// Or a client that says its submission again, because it heard no answer, has the job run twice.
TEST_F(FrontendAttempts, KeysOfForgottenJobsOutliveARestart) {
  const sched::SubmitKey key{.high = 1, .low = 2};
  for (const sched::SubmitKey& each : {key, sched::SubmitKey{}}) {
    sched::Job job = test::job(1);
    job.key = each;
    job.id = frontend.next_job(1);
    auto now_turn = turn();
    frontend.submit(now_turn, around(), job);
    ASSERT_TRUE(frontend.cancel(now_turn, job.id, {}));
    keep_records();
  }
  now += params.history_age + seconds(1);
  auto now_turn = turn();
  frontend.wake(now_turn, around());
  keep_records();
  ASSERT_EQ(frontend.find(id), nullptr);
  crash();
  EXPECT_EQ(frontend.table().find_spent(key), nullptr) << "or this test shows nothing";
  frontend.restore_keys(now, store.spent_keys());
  ASSERT_NE(frontend.table().find_spent(key), nullptr);
  EXPECT_EQ(frontend.table().find_spent(key)->id, id);
}

TEST_F(FrontendAttempts, TheEndOfAJobIsStored) {
  const sched::Time begin = now;
  submit(0);
  const std::uint32_t attempt = bind();
  now += seconds(5);
  fails(attempt);
  ASSERT_TRUE(job().finished());
  now += hours(2);
  frontend = Frontend(params, node(kHome.value));
  auto jobs = store.load();
  ASSERT_EQ(jobs.size(), 1u);
  jobs[0].submitted = begin;
  auto now_turn = turn();
  frontend.restore(now_turn, std::move(jobs));
  EXPECT_EQ(job().finished(), begin + seconds(5)) << "not the time of the restart";
  EXPECT_EQ(job().progress().ended->exit, 9);
  EXPECT_FALSE(store.turn_has_records()) << "nothing of it has changed";
}

// The store of an older Dunlin has no word of it. From now on the next restart does not move it.
TEST_F(FrontendRestart, TheEndOfAJobOfAnOlderStoreIsStored) {
  sched::StoredJob job = stored(now);
  job.tasks.push_back({.index = 0, .finished = true});
  Frontend frontend(params, node(kHome.value));
  now += seconds(7);
  auto now_turn = turn();
  frontend.restore(now_turn, {std::move(job)});
  ASSERT_TRUE(frontend.jobs().begin()->second.finished());
  const auto records = store.take_turn();
  ASSERT_EQ(records.size(), 1u);
  const auto* const put = std::get_if<MemoryStore::PutProgress>(&records.front());
  ASSERT_NE(put, nullptr);
  ASSERT_TRUE(put->progress.ended);
  EXPECT_EQ(put->progress.ended->after, seconds(7));
}

// It had no effect on the worker that a report was recorded: the answer was lost with the frontend.
TEST_F(FrontendAttempts, AFailureThatIsReportedAgainCountsOnce) {
  submit(1);
  fails(bind());
  crash();
  fails(1);
  EXPECT_EQ(state(), sched::TaskState::waiting) << "there is a retry left";
  fails(1);
  wait_for_reports();
  fails(bind());
  EXPECT_EQ(state(), sched::TaskState::failed);
}

// The first report may come to the next life: then the second one is the repeated one.
TEST_F(FrontendAttempts, AFailureThatTheNextLifeHearsOfCountsOnce) {
  submit(1);
  const auto attempt = bind();
  crash();
  fails(attempt);
  fails(attempt);
  EXPECT_EQ(state(), sched::TaskState::waiting);
  EXPECT_EQ(job().task(0).attempts.failures(), 1);
}

TEST_F(FrontendAttempts, AStopThatIsReportedAgainCountsOnce) {
  submit(0);
  ends(bind(), sched::Outcome::killed);
  EXPECT_EQ(job().task(0).attempts.losses(), 1);
  crash();
  ends(1, sched::Outcome::killed);
  EXPECT_EQ(job().task(0).attempts.losses(), 1);
  EXPECT_EQ(job().task(0).attempts.failures(), 0);
}

// Messages overtake each other: that it runs was said before that it ended.
TEST_F(FrontendAttempts, AnAttemptThatEndedIsNotTakenBack) {
  submit(1);
  fails(bind());
  EXPECT_FALSE(renew(1));
  crash();
  EXPECT_FALSE(renew(1));
  EXPECT_EQ(state(), sched::TaskState::waiting);
}

TEST_F(FrontendAttempts, AnAttemptOfAnEarlierLifeIsTakenBack) {
  submit(0);
  const auto attempt = bind();
  crash();
  crash();
  EXPECT_TRUE(renew(attempt));
  EXPECT_EQ(state(), sched::TaskState::launched);
}

// Lost, taken back and lost again is one attempt: if the frontend counted two, a later life would
// count fewer, and give a number that is taken.
TEST_F(FrontendAttempts, NoNumberIsGivenTwice) {
  submit(3);
  const auto first = bind();
  lose();
  EXPECT_TRUE(renew(first));
  EXPECT_EQ(state(), sched::TaskState::launched);
  lose();
  EXPECT_TRUE(renew(first));
  fails(first);
  const auto second = bind();
  EXPECT_GT(second, first);
  crash();
  EXPECT_EQ(job().task(0).attempts.failures(), 1);
  EXPECT_TRUE(renew(second));
  lose();
  wait_for_reports();
  EXPECT_GT(bind(), second);
}

// The attempt lost last may come back; the ones lost before have been replaced.
TEST_F(FrontendAttempts, OnlyTheLastLostAttemptIsTakenBack) {
  submit(0);
  const auto first = bind();
  lose();
  const auto second = bind();
  lose();
  EXPECT_FALSE(renew(first));
  crash();
  EXPECT_FALSE(renew(first));
  EXPECT_TRUE(renew(second));
  EXPECT_EQ(job().task(0).attempts.losses(), 1);
}

}  // namespace
}  // namespace dunlin::test
