// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "sched/frontend/frontend.h"
#include "tests/support/own_job.h"

// What a client gives a task cannot be read again. So, whichever way an attempt comes to nothing
// that may have begun, no other one is made.
namespace dunlin::test {
namespace {

using sched::Outcome;
using sched::TaskState;
using ::testing::HasSubstr;

class OnceTest : public OwnJob {
 protected:
  OnceTest() {
    sched::Job made = test::job(1);
    made.groups[0].once = true;
    made.groups[0].retries = 3;  // No driver lets users say it, and it makes no difference.
    made.id = id = frontend.next_job(1);
    sched::Turn one = turn();
    frontend.submit(one, around(), std::move(made));
  }
  void ask() {
    sched::GetTask asked = question(1);
    asked.job = id;
    sched::Turn one = turn();
    frontend.on_message(one, around(), node(5), asked);
    ASSERT_EQ(state(), TaskState::launched);
  }
  void end(const sched::Report& report) {
    sched::Turn one = turn();
    frontend.on_message(one, around(), node(5), sched::Done{.job = id, .reports = {report}});
  }
  TaskState state() const { return frontend.find(id)->task(0).state; }
  std::string told() {
    store.commit(store.take_turn());
    const sched::Report* const result = store.result(id, 0);
    return result == nullptr ? "no result" : result->detail;
  }

  sched::JobId id;
  sched::Frontend frontend{params, node(99)};
};

TEST_F(OnceTest, APreemptedAttemptIsTheLast) {
  ask();
  end({.index = 0, .attempt = 1, .outcome = Outcome::preempted});
  EXPECT_EQ(state(), TaskState::cancelled);
  EXPECT_THAT(told(), HasSubstr("cannot be read again"));
}

TEST_F(OnceTest, AnAttemptThatIsLostIsTheLast) {
  ask();
  sched::Turn one = turn();
  frontend.on_worker_gone(one, around(), node(5).id);
  EXPECT_EQ(state(), TaskState::cancelled);
  EXPECT_TRUE(frontend.find(id)->finished());
  EXPECT_THAT(told(), HasSubstr("cannot be read again"));
}

TEST_F(OnceTest, AFailedAttemptIsTheLast) {
  ask();
  end({.index = 0, .attempt = 1, .outcome = Outcome::exited, .status = 3});
  EXPECT_EQ(state(), TaskState::failed);
}

// A home that was deposed passes on what it heard: the task ran, and its output is, where it says.
TEST_F(OnceTest, AReportThatIsPassedOnIsOfTheWorkerThatItNames) {
  ask();
  sched::Turn one = turn();
  frontend.on_message(one, around(), node(9),
      sched::Done{.job = id, .reports = {{.index = 0, .attempt = 1}}, .worker = node(5).id});
  EXPECT_EQ(state(), TaskState::succeeded);
  EXPECT_TRUE(out.all<sched::Kill>().empty()) << "it is the attempt that is bound there";
  EXPECT_EQ(out.all<sched::DoneAck>().size(), 1u);
}

TEST_F(OnceTest, WhatNeverBeganBeginsAgain) {
  ask();
  sched::Turn one = turn();
  frontend.on_message(
      one, around(), node(5), sched::Refused{.job = id, .request = 1, .tasks = {{0, 1}}});
  EXPECT_EQ(state(), TaskState::waiting);
  ask();
  end({.index = 0, .attempt = 2, .outcome = Outcome::spawn_failed});
  EXPECT_EQ(state(), TaskState::waiting);
}

TEST_F(OnceTest, UsersAreToldThatItCannotBeRequeuedOrRetried) {
  ask();
  sched::Turn one = turn();
  const auto requeued = frontend.requeue(one, id, {});
  ASSERT_FALSE(requeued);
  EXPECT_THAT(requeued.error().text, HasSubstr("cannot be read again"));
  EXPECT_TRUE(out.all<sched::Kill>().empty());
  end({.index = 0, .attempt = 1});
  ASSERT_EQ(state(), TaskState::succeeded);
  const std::uint32_t tasks[] = {0};
  const auto retried = frontend.retry(one, around(), id, tasks, store.job(id));
  ASSERT_FALSE(retried);
  EXPECT_EQ(retried.error().kind, ErrorKind::conflict);
  EXPECT_THAT(retried.error().text, HasSubstr("submit it anew"));
}

}  // namespace
}  // namespace dunlin::test
