// SPDX-License-Identifier: MIT
#include <algorithm>
#include <gmock/gmock.h>

#include "sched/frontend/frontend.h"
#include "tests/support/own_job.h"

// A job of which no task runs twice: whichever way an attempt comes to nothing that may have begun,
// its task ends as lost. A frontend that was away counts each attempt as begun that it handed out.
namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::Outcome;
using sched::TaskState;
using ::testing::HasSubstr;

class RerunTest : public OwnJob {
 protected:
  RerunTest() {
    sched::Job made = never(1);
    made.id = id = frontend.next_job(1);
    sched::Turn one = turn();
    frontend.submit(one, around(), std::move(made));
    store.commit(store.take_turn());
  }
  static sched::Job never(std::uint32_t tasks) {
    sched::Job made = test::job(tasks);
    made.rerun = sched::Rerun::never;
    made.on_preempt = sched::OnPreempt::never;
    return made;
  }
  /// Node 5 asks for a task of the job.
  void ask(sched::Frontend& of) {
    sched::GetTask asked = question(1);
    asked.job = id;
    sched::Turn one = turn();
    of.on_message(one, around(), node(5), asked);
  }
  void ask() {
    ask(frontend);
    ASSERT_EQ(state(), TaskState::launched);
  }
  void end(const sched::Report& report) {
    sched::Turn one = turn();
    frontend.on_message(one, around(), node(5), sched::Done{.job = id, .reports = {report}});
  }
  TaskState state() const { return frontend.find(id)->task(0).state; }
  sched::Report result() {
    store.commit(store.take_turn());
    const sched::Report* const result = store.result(id, 0);
    EXPECT_NE(result, nullptr);
    return result == nullptr ? sched::Report{} : *result;
  }
  void expect_lost(const std::string& why) {
    EXPECT_EQ(state(), TaskState::failed);
    EXPECT_TRUE(frontend.find(id)->finished());
    EXPECT_EQ(frontend.find(id)->progress().ended->worst, Outcome::lost);
    EXPECT_EQ(result().outcome, Outcome::lost);
    EXPECT_THAT(result().detail, HasSubstr(why));
  }
  /// A frontend that begins with the job as a store has it.
  sched::Frontend restored(sched::StoredTask task) {
    sched::Frontend next{params, node(99)};
    sched::StoredJob stored{.job = never(2), .submitted = now - 10s, .tasks = {std::move(task)}};
    stored.job.id = id;
    sched::Turn one = turn();
    next.restore(one, {stored});
    return next;
  }
  /// Wakes the frontend whenever it wants, for so long.
  void pass(sched::Frontend& of, sched::Duration time) {
    for (const sched::Time last = now + time; now < last;) {
      now = std::min(last, std::max(of.deadline(), now + 1ms));
      sched::Turn one = turn();
      of.wake(one, around());
    }
  }

  sched::JobId id;
  sched::Frontend frontend{params, node(99)};
};

TEST_F(RerunTest, AnAttemptThatIsLostIsTheLast) {
  ask();
  sched::Turn one = turn();
  frontend.on_worker_gone(one, around(), node(5).id);
  expect_lost("no task of the job runs twice");
}

TEST_F(RerunTest, SoIsOneThatItsNodeStopped) {
  ask();
  end({.index = 0, .attempt = 1, .outcome = Outcome::killed});
  expect_lost("no task of the job runs twice");
}

TEST_F(RerunTest, SoIsOneThatItsNodeLost) {
  ask();
  end({.index = 0,
      .attempt = 1,
      .outcome = Outcome::spawn_failed,
      .detail = "no warden",
      .cause = sched::Cause::lost});
  expect_lost("no warden; as its user said");
}

// A build before does not know that its task is to be spared.
TEST_F(RerunTest, SoIsOneThatMadeRoom) {
  ask();
  end({.index = 0, .attempt = 1, .outcome = Outcome::preempted});
  expect_lost("no task of the job runs twice");
}

TEST_F(RerunTest, WhatNeverBeganBeginsAgain) {
  ask();
  sched::Turn one = turn();
  frontend.on_message(
      one, around(), node(5), sched::Refused{.job = id, .request = 1, .tasks = {{0, 1}}});
  EXPECT_EQ(state(), TaskState::waiting);
  ask();
  end({.index = 0, .attempt = 2, .outcome = Outcome::spawn_failed, .cause = sched::Cause::start});
  EXPECT_EQ(state(), TaskState::waiting);
}

TEST_F(RerunTest, ACancelledTaskIsCancelledThoughItIsLost) {
  ask();
  sched::Turn one = turn();
  ASSERT_TRUE(frontend.cancel(one, id, {}));
  frontend.on_worker_gone(one, around(), node(5).id);
  EXPECT_EQ(state(), TaskState::cancelled);
  EXPECT_EQ(result().outcome, Outcome::killed);
}

// The record is in the turn before the answer, so it is on disk when the answer leaves.
TEST_F(RerunTest, AnAttemptIsStoredBeforeItLeaves) {
  ask();
  const auto records = store.take_turn();
  const auto only = std::ranges::find_if(records, [](const auto& record) {
    const auto* const put = std::get_if<MemoryStore::PutWishes>(&record);
    return put != nullptr && put->wished == sched::Wished::only;
  });
  ASSERT_NE(only, records.end());
  EXPECT_EQ(std::get<MemoryStore::PutWishes>(*only).attempts,
      (std::vector<sched::Attempt>{{.index = 0, .attempt = 1}}));
}

TEST_F(RerunTest, UsersAreToldThatItRunsOnce) {
  ask();
  sched::Turn one = turn();
  const auto requeued = frontend.requeue(one, id, {});
  ASSERT_FALSE(requeued);
  EXPECT_THAT(requeued.error().text, HasSubstr("never runs twice"));
  EXPECT_TRUE(out.all<sched::Kill>().empty());
  end({.index = 0, .attempt = 1, .outcome = Outcome::exited, .status = 3});
  ASSERT_EQ(state(), TaskState::failed);
  const std::uint32_t tasks[] = {0};
  store.commit(store.take_turn());
  const auto retried = frontend.retry(one, around(), id, tasks, store.job(id));
  ASSERT_FALSE(retried);
  EXPECT_EQ(retried.error().kind, ErrorKind::conflict);
  EXPECT_THAT(retried.error().text, HasSubstr("submit it anew"));
}

TEST_F(RerunTest, AfterARestartItWaitsForWordOfWhatWasHandedOut) {
  sched::Frontend next = restored({.index = 0, .only = 1});
  EXPECT_TRUE(next.find(id)->given().any());
  ask(next);
  EXPECT_TRUE(out.all<sched::Tasks>().back().tasks.empty());
  pass(next, params.recovery_wait + 1s);
  const sched::JobState& job = *next.find(id);
  EXPECT_FALSE(job.given().any());
  EXPECT_EQ(job.task(0).state, TaskState::failed);
  EXPECT_EQ(job.task(0).outcome, Outcome::lost);
  ask(next);
  ASSERT_EQ(out.all<sched::Tasks>().back().tasks.size(), 1u);
  EXPECT_EQ(out.all<sched::Tasks>().back().tasks[0].index, 1u) << "this one was never handed out";
}

TEST_F(RerunTest, AfterARestartAWorkerMayHaveIt) {
  sched::Frontend next = restored({.index = 0, .only = 1});
  sched::Renew renewed{.job = id, .incarnation = 1, .tasks = {}, .load = {}};
  renewed.tasks.push_back({.index = 0, .attempt = 1});
  sched::Turn one = turn();
  next.on_message(one, around(), node(5), renewed);
  EXPECT_FALSE(next.find(id)->given().any());
  pass(next, params.recovery_wait + 1s);
  EXPECT_EQ(next.find(id)->task(0).state, TaskState::launched);
}

TEST_F(RerunTest, AfterARestartItsUserMayCancelItMeanwhile) {
  sched::Frontend next = restored({.index = 0, .only = 1});
  const std::uint32_t tasks[] = {0};
  sched::Turn one = turn();
  ASSERT_TRUE(next.cancel(one, id, tasks));
  pass(next, params.recovery_wait + 1s);
  EXPECT_EQ(next.find(id)->task(0).state, TaskState::cancelled);
  EXPECT_EQ(next.find(id)->task(1).state, TaskState::waiting);
}

TEST_F(RerunTest, AfterARestartWhatIsKnownToHaveComeToNothingRuns) {
  // It was refused: see WhatNeverBeganBeginsAgain.
  const sched::Frontend refused = restored({.index = 0, .losses = 1, .lost = 1, .only = 1});
  EXPECT_FALSE(refused.find(id)->given().any());
  // It could not start.
  const sched::Frontend unstarted = restored({.index = 0, .losses = 1, .ended = 1, .only = 1});
  EXPECT_FALSE(unstarted.find(id)->given().any());
  EXPECT_EQ(unstarted.find(id)->task(0).state, TaskState::waiting);
}

}  // namespace
}  // namespace dunlin::test
