// SPDX-License-Identifier: MIT
#include "sched/frontend/job_changes.h"

#include <algorithm>
#include <gmock/gmock.h>

#include "sched/frontend/frontend.h"
#include "tests/support/builders.h"
#include "tests/support/solo.h"

// What a frontend does when a user holds a job, sets its terms or has tasks of it run again.
namespace dunlin::test {
namespace {

using sched::Frontend;
using sched::Outcome;
using sched::TaskState;
using std::chrono::seconds;
using ::testing::HasSubstr;

class JobChanges : public Solo {
 protected:
  JobChanges() { know_nodes(8); }

  sched::JobId submit(sched::Job job) {
    job.id = frontend.next_job(1);
    const sched::JobId id = job.id;
    auto now_turn = turn();
    frontend.submit(now_turn, around(), std::move(job));
    return id;
  }
  /// Node 7 asks for tasks.
  sched::Tasks ask(const sched::JobId& job, std::uint16_t room = 1, std::uint32_t request = 0) {
    auto now_turn = turn();
    frontend.on_message(now_turn, around(), node(7),
        sched::GetTask{.job = job,
            .probe = 1,
            .request = request != 0 ? request : ++request_,
            .incarnation = 1,
            .room = room});
    return out.all<sched::Tasks>().back();
  }
  /// Node 7 reports the end of an attempt.
  void end(const sched::JobId& job, const sched::Attempt& attempt, std::int32_t status) {
    sched::Done done{.job = job, .reports = {}, .load = {}};
    done.reports.push_back({.index = attempt.index,
        .attempt = attempt.attempt,
        .outcome = Outcome::exited,
        .status = status});
    auto now_turn = turn();
    frontend.on_message(now_turn, around(), node(7), done);
  }
  /// All tasks run once, and end so.
  void run_all(const sched::JobId& job, std::int32_t status) {
    for (const auto& task : ask(job, 64).tasks) end(job, {task.index, task.attempt}, status);
  }
  void queue_at(std::uint64_t worker, const sched::JobId& job, std::uint32_t probe) {
    auto now_turn = turn();
    frontend.on_message(
        now_turn, around(), node(worker), sched::Queued{.job = job, .probe = probe});
  }
  Result<void> hold(const sched::JobId& job, bool on) {
    auto now_turn = turn();
    return frontend.change(now_turn, around(), job, {.held = on, .terms = {}});
  }
  Result<void> retry(const sched::JobId& job, const std::vector<std::uint32_t>& tasks) {
    store.commit(store.take_turn());
    auto now_turn = turn();
    return frontend.retry(now_turn, around(), job, tasks, store.job(job));
  }
  /// The frontend of the next incarnation, with what is stored.
  Frontend restarted() {
    store.commit(store.take_turn());
    Frontend next{{.placement = sched::PlacementName::random}, node(99)};
    auto now_turn = turn();
    next.restore(now_turn, store.load());
    return next;
  }
  TaskState state(const sched::JobId& job, std::uint32_t task) const {
    return frontend.find(job)->task(task).state;
  }
  template <typename Kind>
  std::size_t told() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        events.seen, [](const auto& event) { return std::holds_alternative<Kind>(event); }));
  }

  Frontend frontend{{.placement = sched::PlacementName::random}, node(99)};

 private:
  std::uint32_t request_ = 0;
};

TEST_F(JobChanges, AJobOnHoldStartsNoTaskAndRunningOnesGoOn) {
  const auto job = submit(test::job(3));
  const sched::Tasks first = ask(job, 1, 40);
  ASSERT_EQ(first.tasks.size(), 1u);
  queue_at(5, job, 2);
  out.clear();
  ASSERT_TRUE(hold(job, true));
  ASSERT_EQ(out.all<sched::Cancel>().size(), 2u) << "what waits at nodes 5 and 7 is withdrawn";
  EXPECT_GE(out.all<sched::Cancel>()[0].served_to, 2u);
  EXPECT_TRUE(frontend.probes(*frontend.find(job), 0).empty());

  const sched::Tasks nothing = ask(job);
  EXPECT_TRUE(nothing.tasks.empty());
  EXPECT_EQ(nothing.remaining, 0u);
  EXPECT_GT(nothing.served_to, 0u) << "whatever still walks is of no use";
  EXPECT_EQ(ask(job, 1, 40).tasks, first.tasks) << "an answer that was lost is given again";
  out.clear();
  queue_at(6, job, 3);
  EXPECT_EQ(out.all<sched::Cancel>().size(), 1u) << "a late one is withdrawn";

  end(job, {first.tasks[0].index, 1}, 0);
  EXPECT_EQ(state(job, first.tasks[0].index), TaskState::succeeded);
  EXPECT_EQ(out.all<sched::Reserve>().size(), 0u);
  EXPECT_EQ(told<sched::HoldChanged>(), 1u);
}

TEST_F(JobChanges, NoMoreTasksRunAtOnceThanTheUserSays) {
  sched::TaskGroup group = tasks(5);
  group.at_once = 2;
  const auto job = submit(job_of(std::move(group)));
  queue_at(5, job, 2);
  EXPECT_EQ(out.all<sched::Reserve>().back().tasks_max, 2);
  out.clear();
  const sched::Tasks first = ask(job, 64);
  ASSERT_EQ(first.tasks.size(), 2u);
  EXPECT_EQ(first.remaining, 0u) << "no more may start now";
  EXPECT_FALSE(out.all<sched::Cancel>().empty()) << "what waits at node 5 is withdrawn";
  EXPECT_TRUE(ask(job).tasks.empty());
  out.clear();
  end(job, {first.tasks[0].index, 1}, 1);
  EXPECT_FALSE(out.all<sched::Reserve>().empty()) << "one ended, so another is sought for";
  EXPECT_EQ(ask(job, 64).tasks.size(), 1u);
}

TEST_F(JobChanges, AHeldJobSeeksNoWorkersAndWakesNobody) {
  sched::Job held = test::job(3);
  held.held = true;
  const auto job = submit(held);
  EXPECT_TRUE(out.all<sched::Reserve>().empty());
  EXPECT_EQ(frontend.deadline(), sched::kNever);
  ASSERT_TRUE(hold(job, false));
  EXPECT_FALSE(out.all<sched::Reserve>().empty());
  EXPECT_LT(frontend.deadline(), sched::kNever);
  EXPECT_EQ(ask(job).tasks.size(), 1u);
  ASSERT_TRUE(hold(job, false)) << "said twice it is done";
  EXPECT_EQ(told<sched::HoldChanged>(), 1u) << "and told once";
}

TEST_F(JobChanges, AHoldAndTermsSurviveARestart) {
  sched::Job held = test::job(1);
  held.held = true;
  const auto first = submit(held);
  const auto second = submit(test::job(1));
  auto now_turn = turn();
  const sched::NewTerms terms{.priority = 80, .deadline = sched::OptionalDuration(seconds(90))};
  ASSERT_TRUE(frontend.change(now_turn, around(), second, {.held = {}, .terms = terms}));
  const Frontend next = restarted();
  EXPECT_TRUE(next.find(first)->progress().held);
  EXPECT_FALSE(next.find(second)->progress().held);
  EXPECT_EQ(next.find(second)->spec_of(0).priority, 80);
  EXPECT_EQ(next.find(second)->job().deadline, sched::OptionalDuration(seconds(90)));
}

TEST_F(JobChanges, NewTermsReachWhatWaitsAtWorkers) {
  const auto job = submit(test::job(3));
  queue_at(5, job, 1);
  out.clear();
  auto now_turn = turn();
  ASSERT_TRUE(frontend.change(
      now_turn, around(), job, {.held = {}, .terms = {.priority = 90, .deadline = {}}}));
  const auto told_to_it = out.only<sched::Remaining>();
  EXPECT_TRUE(told_to_it.has_terms);
  EXPECT_EQ(told_to_it.priority, 90);
  ASSERT_FALSE(out.all<sched::Reserve>().empty()) << "others go out, as for a new job";
  EXPECT_EQ(out.all<sched::Reserve>().front().priority, 90);
  out.clear();
  queue_at(6, job, 2);
  EXPECT_EQ(out.only<sched::Remaining>().priority, 90) << "one that was walking hears it, too";
}

TEST_F(JobChanges, AnEndedJobRunsAgainAndNumbersGoOn) {
  const auto job = submit(test::job(2));
  const auto sent = static_cast<std::uint32_t>(out.all<sched::Reserve>().size());
  ASSERT_GT(sent, 0u);
  run_all(job, 3);
  ASSERT_TRUE(frontend.find(job)->finished());
  out.clear();
  ASSERT_TRUE(retry(job, {1}));
  EXPECT_FALSE(frontend.find(job)->finished());
  EXPECT_EQ(state(job, 0), TaskState::failed);
  ASSERT_FALSE(out.all<sched::Reserve>().empty());
  EXPECT_GT(out.all<sched::Reserve>()[0].probe, sent)
      << "workers remember that those before are of no use";
  EXPECT_EQ(frontend.table().active_count(), 1u);

  end(job, {1, 1}, 0);
  EXPECT_EQ(state(job, 1), TaskState::waiting) << "late news of an attempt before";
  const sched::Tasks again = ask(job);
  ASSERT_EQ(again.tasks.size(), 1u);
  EXPECT_EQ(again.tasks[0].index, 1u);
  EXPECT_EQ(again.tasks[0].attempt, 2u);
  end(job, {1, 2}, 0);
  EXPECT_TRUE(frontend.find(job)->finished());
  store.commit(store.take_turn());
  EXPECT_EQ(store.violation(), "");
  EXPECT_EQ(store.result(job, 1)->attempt, 2u);
  EXPECT_EQ(store.result(job, 0)->status, 3);
  EXPECT_EQ(told<sched::TasksRetried>(), 1u);
  EXPECT_EQ(told<sched::JobFinished>(), 2u);
}

// The lines of a job are many megabytes, so a job that ended has forgotten them.
TEST_F(JobChanges, ATaskThatRunsAgainHasItsLine) {
  sched::TaskGroup group = tasks(2);
  group.entries.push_back("zero");
  group.entries.push_back("one");
  const auto job = submit(job_of(std::move(group)));
  run_all(job, 1);
  ASSERT_TRUE(retry(job, {1}));
  EXPECT_EQ(ask(job).tasks.at(0).entry, "one");
}

TEST_F(JobChanges, RetriesAreForgivenAnew) {
  sched::TaskGroup group = tasks(1);
  group.retries = 1;
  const auto job = submit(job_of(std::move(group)));
  for (std::uint32_t attempt = 1; attempt <= 2; ++attempt)
    end(job, {ask(job).tasks.at(0).index, attempt}, 1);
  ASSERT_EQ(state(job, 0), TaskState::failed);
  ASSERT_TRUE(retry(job, {0}));
  const auto third = ask(job).tasks.at(0).attempt;
  EXPECT_EQ(third, 3);
  end(job, {0, third}, 1);
  EXPECT_EQ(state(job, 0), TaskState::waiting) << "one failure is forgiven";
  const Frontend next = restarted();
  EXPECT_EQ(next.find(job)->task(0).attempts.failures(), 1u) << "and no more after a restart";
  end(job, {0, ask(job).tasks.at(0).attempt}, 1);
  EXPECT_EQ(state(job, 0), TaskState::failed);
}

// That all of it was cancelled stands in one record.
TEST_F(JobChanges, WhatIsNotRetriedOfACancelledJobStaysCancelled) {
  const auto job = submit(test::job(3));
  auto now_turn = turn();
  ASSERT_TRUE(frontend.cancel(now_turn, job, {}));
  ASSERT_TRUE(retry(job, {1}));
  EXPECT_EQ(state(job, 1), TaskState::waiting);
  Frontend next = restarted();
  EXPECT_EQ(next.find(job)->task(0).state, TaskState::cancelled);
  EXPECT_EQ(next.find(job)->task(1).state, TaskState::waiting);
  EXPECT_EQ(next.find(job)->task(2).state, TaskState::cancelled);
  EXPECT_EQ(store.violation(), "");
}

TEST_F(JobChanges, WhatCannotRunAgainIsRefused) {
  const auto job = submit(test::job(2));
  EXPECT_EQ(retry(job, {0}).error().text,
      "task 0 of job 0000000000000063.1 has not ended: cancel it first, or wait for it");
  EXPECT_EQ(retry(job, {7}).error().text, "job 0000000000000063.1 has tasks 0 to 1");
  run_all(job, 0);
  EXPECT_EQ(retry(job, {1, 1}).error().text, "task 1 of job 0000000000000063.1 is named twice");
  EXPECT_TRUE(retry(job, {}));
  EXPECT_TRUE(frontend.find(job)->finished());
  EXPECT_THAT(hold(job, true).error().text, HasSubstr("`dunlin retry 0000000000000063.1`"));

  sched::Job late = test::job(1);
  late.deadline = seconds(10);
  late.past_deadline = sched::PastDeadline::cancel;
  const auto over = submit(late);
  run_all(over, 1);
  now += seconds(20);
  EXPECT_THAT(
      retry(over, {0}).error().text, HasSubstr("`dunlin set 0000000000000063.2 --deadline 1h`"));
}

}  // namespace
}  // namespace dunlin::test
