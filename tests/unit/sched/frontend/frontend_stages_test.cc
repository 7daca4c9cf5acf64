// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <set>
#include <string>

#include "sched/frontend/bound_tasks.h"
#include "sched/frontend/frontend.h"
#include "sched/frontend/job_check.h"
#include "tests/support/builders.h"
#include "tests/support/solo.h"

// A job of three stages at its frontend: map, then reduce, then report.
namespace dunlin::test {
namespace {

using sched::Frontend;
using sched::StageSettled;
using sched::TaskState;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class FrontendStages : public Solo {
 protected:
  FrontendStages() {
    know_nodes(8);
    sched::Job job = test::job(3);
    job.groups[0].name = "map";
    job.groups.push_back(test::tasks(2));
    job.groups[1].name = "reduce";
    job.groups[1].after = {0};
    job.groups.push_back(test::tasks(1));
    job.groups[2].name = "report";
    job.groups[2].after = {1};
    job.id = frontend.next_job(1);
    id = job.id;
    auto now_turn = turn();
    frontend.submit(now_turn, around(), std::move(job));
  }
  /// Node 7 asks for tasks of a group.
  std::vector<sched::Attempt> ask(std::uint16_t group, std::uint16_t room = 1) {
    auto now_turn = turn();
    frontend.on_message(now_turn, around(), node(7),
        sched::GetTask{.job = id,
            .group = group,
            .probe = 1,
            .request = ++request,
            .incarnation = 1,
            .room = room});
    std::vector<sched::Attempt> given;
    const sched::Tasks answer = out.all<sched::Tasks>().back();
    for (const auto& task : answer.tasks) {
      given.push_back({task.index, task.attempt});
    }
    return given;
  }
  void end(const sched::Attempt& attempt, std::int32_t status = 0) {
    sched::Done done{.job = id, .reports = {}, .load = {}};
    done.reports.push_back({.index = attempt.index,
        .attempt = attempt.attempt,
        .outcome = sched::Outcome::exited,
        .status = status});
    auto now_turn = turn();
    frontend.on_message(now_turn, around(), node(7), done);
    EXPECT_EQ(broken_invariant(state()), std::nullopt);
  }
  void run_all(std::uint16_t group, std::int32_t status = 0) {
    for (const auto& each : ask(group, 64)) end(each, status);
  }
  Result<void> retry(const std::vector<std::uint32_t>& tasks) {
    store.commit(store.take_turn());
    auto now_turn = turn();
    return frontend.retry(now_turn, around(), id, tasks, store.job(id));
  }
  Frontend restarted() {
    store.commit(store.take_turn());
    Frontend next{params, node(99)};
    auto now_turn = turn();
    next.restore(now_turn, store.load());
    return next;
  }
  const sched::JobState& state() const { return *frontend.find(id); }
  std::vector<TaskState> states(const Frontend& of) const {
    std::vector<TaskState> all;
    const sched::JobState& job = *of.find(id);
    for (std::uint32_t i = 0; i < job.task_count(); ++i) all.push_back(job.task(i).state);
    return all;
  }
  std::vector<std::string> settled() const {
    std::vector<std::string> texts;
    for (const auto& event : events.seen) {
      const auto* const each = std::get_if<StageSettled>(&event);
      if (each != nullptr)
        texts.push_back(each->group + (each->met ? " may start" : " never will"));
    }
    return texts;
  }
  /// The groups of reservations sent since out was cleared.
  std::set<std::uint16_t> reserved() const {
    std::set<std::uint16_t> groups;
    for (const auto& each : out.all<sched::Reserve>()) groups.insert(each.group);
    return groups;
  }

  sched::FrontendParams params{.placement = sched::PlacementName::random};
  Frontend frontend{params, node(99)};
  sched::JobId id;
  std::uint32_t request = 0;
};

TEST_F(FrontendStages, AStageIsHeldUntilTheOneBeforeHasSucceeded) {
  EXPECT_THAT(reserved(), ElementsAre(0));
  EXPECT_THAT(ask(1), IsEmpty());
  EXPECT_EQ(out.all<sched::Tasks>().back().remaining, 0u);
  EXPECT_GT(out.all<sched::Tasks>().back().served_to, 0u) << "what walks is of no use";
  const auto map = ask(0, 64);
  ASSERT_EQ(map.size(), 3u);
  end(map[0]);
  end(map[1]);
  EXPECT_THAT(ask(1), IsEmpty());
  out.clear();
  end(map[2]);
  EXPECT_THAT(reserved(), ElementsAre(1)) << "at once";
  EXPECT_THAT(settled(), ElementsAre("reduce may start"));
  EXPECT_EQ(state().offered(1), 2u);
  run_all(1);
  EXPECT_FALSE(state().finished()) << "the job ends with its last stage";
  run_all(2);
  EXPECT_TRUE(state().finished());
  EXPECT_EQ(state().counts()[TaskState::succeeded], 6u);
  EXPECT_THAT(settled(), ElementsAre("reduce may start", "report may start"));
}

TEST_F(FrontendStages, AFailureForGoodCancelsAllThatWaitsForIt) {
  const auto map = ask(0, 64);
  end(map[1], 3);
  using enum TaskState;
  EXPECT_THAT(
      states(frontend), ElementsAre(launched, failed, launched, cancelled, cancelled, cancelled));
  EXPECT_THAT(settled(), ElementsAre("reduce never will", "report never will"));
  EXPECT_FALSE(state().finished()) << "what runs of it goes on";
  end(map[0]);
  end(map[2]);
  EXPECT_TRUE(state().finished());
  EXPECT_FALSE(state().progress().cancelled) << "the job as a whole was not";
}

TEST_F(FrontendStages, AFailureThatIsForgivenHoldsOn) {
  sched::Job job = test::job(1);
  job.groups[0].retries = 1;
  job.groups.push_back(test::tasks(1));
  job.groups[1].after = {0};
  id = job.id = frontend.next_job(1);
  auto now_turn = turn();
  frontend.submit(now_turn, around(), std::move(job));
  run_all(0, 1);
  EXPECT_EQ(state().task(1).state, TaskState::waiting);
  run_all(0);
  EXPECT_EQ(state().offered(1), 1u);
}

TEST_F(FrontendStages, ATaskThatItsUserCancelsIsNoSuccess) {
  auto now_turn = turn();
  const std::uint32_t tasks[] = {3};
  ASSERT_TRUE(frontend.cancel(now_turn, id, tasks));
  using enum TaskState;
  EXPECT_THAT(
      states(frontend), ElementsAre(waiting, waiting, waiting, cancelled, waiting, cancelled));
}

TEST_F(FrontendStages, ARestartInTheMiddleKnowsTheStage) {
  const auto map = ask(0, 64);
  end(map[0]);
  end(map[1]);
  frontend = restarted();
  EXPECT_EQ(state().offered(1), 0u);
  auto now_turn = turn();
  frontend.on_message(now_turn, around(), node(7),
      sched::Renew{.job = id, .incarnation = 1, .tasks = {map[2]}, .load = {}});
  EXPECT_EQ(state().task(map[2].index).state, TaskState::launched) << "adopted";
  end(map[2]);
  EXPECT_EQ(state().offered(1), 2u);
  frontend = restarted();
  EXPECT_EQ(state().offered(1), 2u) << "its stage has come";
  EXPECT_EQ(state().offered(2), 0u);
}

TEST_F(FrontendStages, ARestartCancelsWhatWaitsInVain) {
  const auto map = ask(0, 64);
  end(map[0], 9);
  frontend = restarted();
  using enum TaskState;
  EXPECT_THAT(
      states(frontend), ElementsAre(failed, waiting, waiting, cancelled, cancelled, cancelled));
  end(map[1]);
  end(map[2]);
  EXPECT_TRUE(state().finished());
  EXPECT_TRUE(restarted().find(id)->finished());
}

TEST_F(FrontendStages, WhatWaitsInVainIsNotRetriedAlone) {
  run_all(0, 1);
  ASSERT_TRUE(state().finished());
  const auto refused = retry({3, 4});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text,
      HasSubstr("task 3 of job 0000000000000063.1 waits for group map, and task 0 of that did not "
                "succeed: retry it, too"));
  EXPECT_FALSE(retry({5})) << "reduce, which it waits for, was cancelled";
  ASSERT_TRUE(retry({0, 1, 2, 3, 4, 5}));
  run_all(0);
  run_all(1);
  run_all(2);
  EXPECT_EQ(state().counts()[TaskState::succeeded], 6u);
}

TEST_F(FrontendStages, ARetryOfTheFirstStageLeavesTheOthersCancelled) {
  run_all(0, 1);
  ASSERT_TRUE(retry({0, 1, 2}));
  const Frontend later = restarted();
  using enum TaskState;
  EXPECT_THAT(
      states(later), ElementsAre(waiting, waiting, waiting, cancelled, cancelled, cancelled))
      << "that their stage failed is not known any more";
  run_all(0);
  EXPECT_TRUE(state().finished());
  ASSERT_TRUE(retry({3, 4, 5}));
  EXPECT_EQ(state().offered(1), 2u);
  EXPECT_EQ(state().offered(2), 0u);
}

TEST_F(FrontendStages, ATaskThatRunsAgainIsWaitedForAgain) {
  run_all(0);
  const auto reduce = ask(1);
  ASSERT_EQ(reduce.size(), 1u);
  ASSERT_TRUE(retry({1}));
  EXPECT_EQ(state().offered(1), 0u);
  EXPECT_THAT(ask(1), IsEmpty());
  EXPECT_EQ(state().task(reduce[0].index).state, TaskState::launched) << "what runs goes on";
  out.clear();
  run_all(0, 4);
  EXPECT_EQ(state().task(reduce[0].index).state, TaskState::cancelling);
  EXPECT_EQ(out.only<sched::Kill>().tasks[0], reduce[0]);
  EXPECT_THAT(settled(), ElementsAre("reduce may start", "reduce never will", "report never will"));
}

}  // namespace
}  // namespace dunlin::test
