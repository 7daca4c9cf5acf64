// SPDX-License-Identifier: MIT
#include <algorithm>
#include <gtest/gtest.h>
#include <variant>
#include <vector>

#include "sched/frontend/frontend.h"
#include "tests/support/builders.h"
#include "tests/support/solo.h"

// What a frontend does when a job misses its deadline, and what tasks hear of it.
namespace dunlin::test {
namespace {

using sched::CancelledBy;
using sched::Frontend;
using sched::PastDeadline;
using sched::TaskState;
using std::chrono::hours;
using std::chrono::seconds;

class FrontendDeadline : public Solo {
 protected:
  FrontendDeadline() { know_nodes(8); }

  /// A job of three tasks that should have ended after 60 s.
  sched::JobId submit(PastDeadline past_deadline) {
    sched::Job job = test::job(3);
    job.deadline = seconds(60);
    job.past_deadline = past_deadline;
    job.id = frontend.next_job(1);
    const sched::JobId id = job.id;
    auto now_turn = turn();
    frontend.submit(now_turn, around(), std::move(job));
    return id;
  }
  /// Node 7 asks for one task of the job.
  sched::Tasks bind(const sched::JobId& job) {
    auto now_turn = turn();
    frontend.on_message(now_turn, around(), node(7),
        sched::GetTask{.job = job, .request = ++request_, .incarnation = 1, .room = 1});
    return out.all<sched::Tasks>().back();
  }
  /// Wakes the frontend whenever it wants, until `end`. Node 7 says all along that it runs `tasks`.
  void pass(sched::Time end, const sched::Renew& renewed = {}) {
    while (now < end) {
      now = std::min(end, std::max(frontend.deadline(), now + std::chrono::milliseconds(1)));
      auto now_turn = turn();
      if (!renewed.tasks.empty()) frontend.on_message(now_turn, around(), node(7), renewed);
      frontend.wake(now_turn, around());
    }
  }
  std::vector<sched::DeadlineMissed> missed() const {
    std::vector<sched::DeadlineMissed> found;
    for (const auto& event : events.seen) {
      if (const auto* each = std::get_if<sched::DeadlineMissed>(&event)) found.push_back(*each);
    }
    return found;
  }
  /// True if the store was told, or the job would run again after a restart.
  bool is_cancelled_for_good(const sched::JobId& job) {
    const auto records = store.take_turn();
    return std::ranges::any_of(records, [&](const auto& record) {
      const auto* progress = std::get_if<MemoryStore::PutProgress>(&record);
      return progress != nullptr && progress->job == job && progress->progress.cancelled;
    });
  }
  TaskState state(const sched::JobId& job, std::uint32_t task) const {
    return frontend.find(job)->task(task).state;
  }

  Frontend frontend{{.placement = sched::PlacementName::random}, node(99)};

 private:
  std::uint32_t request_ = 0;
};

TEST_F(FrontendDeadline, AJobThatMissesItIsCancelledIfItsUserWishesSo) {
  const sched::JobId job = submit(PastDeadline::cancel);
  const sched::Tasks bound = bind(job);
  const sched::Attempt running{bound.tasks[0].index, 1};
  const sched::Time due = now + seconds(60);
  sched::Renew renewed{.job = job, .incarnation = 1, .tasks = {}, .load = {}};
  renewed.tasks.push_back(running);
  pass(due - seconds(1), renewed);
  EXPECT_EQ(state(job, 1), TaskState::waiting);
  EXPECT_TRUE(missed().empty());
  out.clear();
  pass(due, renewed);
  EXPECT_EQ(state(job, running.index), TaskState::cancelling) << "its worker must stop it first";
  EXPECT_EQ(state(job, 1), TaskState::cancelled);
  EXPECT_EQ(out.all<sched::Kill>().at(0).tasks[0].index, running.index);
  ASSERT_EQ(missed().size(), 1u);
  EXPECT_TRUE(missed()[0].cancelled);
  EXPECT_TRUE(is_cancelled_for_good(job));
}

TEST_F(FrontendDeadline, AJobThatMissesItGoesOnOtherwise) {
  const sched::JobId job = submit(PastDeadline::run);
  pass(now + seconds(120));
  EXPECT_EQ(state(job, 0), TaskState::waiting);
  ASSERT_EQ(missed().size(), 1u) << "it is said once";
  EXPECT_FALSE(missed()[0].cancelled);
}

TEST_F(FrontendDeadline, AJobThatHasFinishedMissesNothing) {
  const sched::JobId job = submit(PastDeadline::cancel);
  auto now_turn = turn();
  ASSERT_TRUE(frontend.cancel(now_turn, job, {}));
  pass(now + seconds(120));
  EXPECT_TRUE(missed().empty());
}

// Those that are due in one turn are told of by number, whichever was due first.
TEST_F(FrontendDeadline, OfJobsThatAreDueTogetherTheLeastNumberGoesFirst) {
  std::vector<std::uint32_t> numbers;
  for (const int due : {50, 40, 60, 70, 30}) {
    const sched::JobId id = submit(PastDeadline::cancel);
    numbers.push_back(id.number);
    auto now_turn = turn();
    ASSERT_TRUE(frontend.change(
        now_turn, around(), id, {.terms = {.deadline = sched::Duration(seconds(due))}}));
  }
  now += seconds(60);
  auto now_turn = turn();
  frontend.wake(now_turn, around());
  std::vector<std::uint32_t> told;
  for (const auto& each : missed()) told.push_back(each.job.number);
  EXPECT_EQ(told, (std::vector<std::uint32_t>{numbers[0], numbers[1], numbers[2], numbers[4]}));
  EXPECT_EQ(state({.home = {99}, .number = numbers[3], .lineage = 1}, 0), TaskState::waiting);
}

// What waits beside costs a deadline nothing.
TEST_F(FrontendDeadline, EachDeadlineCostsItsOwnJobAlone) {
  constexpr int kJobs = 300;
  for (int i = 1; i <= kJobs; ++i) {
    sched::Job job = test::job(1);
    job.held = true;
    job.deadline = seconds(i);
    job.past_deadline = PastDeadline::cancel;
    job.id = frontend.next_job(1);
    auto now_turn = turn();
    frontend.submit(now_turn, around(), std::move(job));
  }
  const std::uint64_t before = frontend.table().looks();
  pass(now + seconds(kJobs));
  EXPECT_EQ(missed().size(), static_cast<std::size_t>(kJobs));
  EXPECT_LE(frontend.table().looks() - before, static_cast<std::uint64_t>(6 * kJobs));
}

// The deadline passed while no agent ran.
TEST_F(FrontendDeadline, ARestartedFrontendKeepsIt) {
  sched::StoredJob stored{.job = test::job(1), .submitted = now - hours(1)};
  stored.job.id = {.home = {99}, .number = 1};
  stored.job.deadline = seconds(60);
  stored.job.past_deadline = PastDeadline::cancel;
  auto now_turn = turn();
  frontend.restore(now_turn, {stored});
  pass(now + std::chrono::milliseconds(2));
  pass(now + seconds(60));  // It ends when workers had time to say what they have of it.
  EXPECT_EQ(frontend.jobs().begin()->second.task(0).state, TaskState::cancelled);
  EXPECT_EQ(frontend.jobs().begin()->second.progress().cancelled_by, CancelledBy::deadline);
}

TEST_F(FrontendDeadline, TheJobTellsWhoCancelledIt) {
  const sched::JobId late = submit(PastDeadline::cancel);
  const sched::JobId unwanted = submit(PastDeadline::cancel);
  auto now_turn = turn();
  ASSERT_TRUE(frontend.cancel(now_turn, unwanted, {}));
  pass(now + seconds(120));
  EXPECT_TRUE(frontend.find(late)->progress().cancelled);
  EXPECT_EQ(frontend.find(late)->progress().cancelled_by, CancelledBy::deadline);
  EXPECT_EQ(frontend.find(unwanted)->progress().cancelled_by, CancelledBy::user);
}

TEST_F(FrontendDeadline, WorkersHearTheTimeLeft) {
  const sched::JobId job = submit(PastDeadline::run);
  now += seconds(20);
  EXPECT_EQ(bind(job).due_in, seconds(40));
  pass(now + seconds(100));
  EXPECT_EQ(bind(job).due_in, sched::Duration{1}) << "it has passed";
}

}  // namespace
}  // namespace dunlin::test
