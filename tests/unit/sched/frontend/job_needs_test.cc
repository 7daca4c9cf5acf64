// SPDX-License-Identifier: MIT
#include "sched/frontend/job_needs.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <iterator>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "sched/frontend/job_table.h"
#include "sched/frontend/table/concerned_jobs.h"
#include "sched/frontend/table/forget_history.h"
#include "tests/support/builders.h"
#include "tests/support/now.h"
#include "tests/support/own_job.h"

// Whatever happens to jobs, their table knows of their needs what a walk over all of them finds.
namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::Job;
using sched::JobState;
using sched::JobTable;
using sched::TaskState;
using sched::Time;

constexpr int kSeeds = 200;
constexpr int kSteps = 150;
constexpr std::size_t kJobsMax = 12;

/// JobNumbers of jobs.
using JobNumbers = std::vector<std::uint32_t>;

/// What a walk over all jobs finds.
struct Walk {
  bool bound = false;
  bool waiting = false;
  Time rested = sched::kNever;
  Time begins = sched::kNever;
  std::vector<Time> dues;
  std::set<std::uint32_t> bound_jobs;
  std::set<std::uint32_t> free_jobs;
  // With their times, ascending by number.
  std::vector<std::pair<std::uint32_t, Time>> resting_jobs;
  std::vector<std::pair<std::uint32_t, Time>> later_jobs;
  std::vector<std::pair<std::uint32_t, Time>> due_jobs;

  explicit Walk(const JobTable& table) {
    for (const auto& [number, job] : table.all()) {
      if (job.finished()) continue;
      bound |= !job.bindings().empty();
      const bool begins_later = job.waits_to_begin();
      waiting |= !job.progress().held && !begins_later && !waits_for_jobs(job) && waits(job);
      if (begins_later) begins = std::min(begins, job.accepted() + *job.job().begin);
      for (std::uint32_t i = 0; i < job.task_count(); ++i) {
        if (!job.setbacks().rests(i)) continue;
        rested = std::min(rested, job.setbacks().next());
      }
      if (job.job().deadline) dues.push_back(job.accepted() + *job.job().deadline);
      if (!job.bindings().empty()) bound_jobs.insert(number);
      const bool is_held = job.progress().held || begins_later || waits_for_jobs(job);
      if (!is_held) free_jobs.insert(number);
      resting_jobs.emplace_back(number, job.setbacks().next());
      if (begins_later) later_jobs.emplace_back(number, job.accepted() + *job.job().begin);
      if (job.job().deadline) due_jobs.emplace_back(number, dues.back());
    }
  }
  /// Those of `jobs` with times later than `after`, and not later than `until`.
  static JobNumbers between(
      const std::vector<std::pair<std::uint32_t, Time>>& jobs, Time after, Time until) {
    JobNumbers numbers;
    for (const auto& [number, time] : jobs) {
      if (time > after && time <= until) numbers.push_back(number);
    }
    return numbers;
  }
  Time next_due(Time after) const {
    Time next = sched::kNever;
    for (const Time due : dues) {
      if (due > after) next = std::min(next, due);
    }
    return next;
  }

 private:
  static bool waits(const JobState& job) {
    for (std::uint32_t i = 0; i < job.task_count(); ++i) {
      if (job.task(i).state == TaskState::waiting && !is_held(job, job.group_of(i))) return true;
    }
    return false;
  }
  static bool is_held(const JobState& job, std::uint16_t group) {
    for (std::uint32_t i = 0; i < job.task_count(); ++i) {
      const auto& after = job.spec_of(group).after;
      if (std::ranges::count(after, job.group_of(i)) == 0) continue;
      if (job.task(i).state != TaskState::succeeded) return true;
    }
    return false;
  }
};

/// A table of jobs to which anything may happen.
class JobNeedsProperty : public OwnJob {
 protected:
  void begin(std::uint64_t seed) {
    rng = sched::Rng(seed);
    table = JobTable(kHome);
    now = kNow;
  }
  void step() {
    now += rng.below(300) * 1ms;
    const std::uint32_t kind = rng.below(16);
    if (kind < 2 || table.all().empty()) {
      if (table.active_count() < kJobsMax) add();
    } else if (kind == 2) {
      params.history_max = rng.below(8);
      params.history_min = sched::Duration{0};
      auto now_turn = turn();
      sched::forget_history(now_turn, table, params);
    } else {
      const auto at = std::next(table.all().begin(),
          static_cast<std::ptrdiff_t>(rng.below(static_cast<std::uint32_t>(table.all().size()))));
      JobState& job = *table.find(at->second.id());
      act(job, kind);
      if (!job.finished() && job.counts().all_final()) table.finish(job, now);
    }
    table.note_changes();
  }
  void compare() {
    const Walk found(table);
    EXPECT_EQ(table.indexes().needs().any_bound(), found.bound);
    EXPECT_EQ(table.indexes().needs().any_waiting(), found.waiting);
    EXPECT_EQ(table.indexes().needs().next_rested(), found.rested);
    EXPECT_EQ(table.indexes().needs().next_begin(), found.begins);
    for (const Time after : {Time::min(), now - 1s, now, now + 1s}) {
      EXPECT_EQ(table.indexes().needs().next_due(after), found.next_due(after));
    }
    // A deadline that is over is not the next, not even if it is just now.
    for (const Time due : found.dues) {
      EXPECT_EQ(table.indexes().needs().next_due(due), found.next_due(due));
    }
    EXPECT_EQ(table.indexes().needs().bound(), found.bound_jobs);
    EXPECT_EQ(table.indexes().needs().free(), found.free_jobs);
    for (const Time at : {now - 1s, now, now + 1s}) {
      const Time first = Time::min();
      EXPECT_EQ(table.indexes().needs().rested(at), Walk::between(found.resting_jobs, first, at));
      EXPECT_EQ(table.indexes().needs().begun(at), Walk::between(found.later_jobs, first, at));
      EXPECT_EQ(table.indexes().needs().due(first, at), Walk::between(found.due_jobs, first, at));
      EXPECT_EQ(table.indexes().needs().due(now - 300ms, at),
          Walk::between(found.due_jobs, now - 300ms, at));
      several += table.indexes().needs().due(first, at).size() > 1 ? 1 : 0;
    }
    bound += found.bound ? 1 : 0;
    resting += found.rested != sched::kNever ? 1 : 0;
    due += found.next_due(now) != sched::kNever ? 1 : 0;
    idle += found.bound || found.waiting ? 0 : 1;
  }

  JobTable table{kHome};
  // Steps after which there were ...
  int bound = 0;    ///< ... tasks bound,
  int resting = 0;  ///< ... tasks that rest,
  int due = 0;      ///< ... deadlines to come,
  int idle = 0;     ///< ... neither tasks bound nor any to hand out,
  int several = 0;  ///< ... and jobs that are due together.

 private:
  void add() {
    Job job = test::job(1 + rng.below(3));
    job.id = table.next_id(0);
    job.held = rng.chance(0.2);
    // Times of few values, so that jobs share them.
    if (rng.chance(0.5)) job.deadline = (1 + rng.below(4)) * 500ms;
    if (rng.chance(0.2)) job.begin = (1 + rng.below(4)) * 500ms;
    if (rng.chance(0.3)) {
      job.groups.push_back(test::tasks(1 + rng.below(3)));
      job.groups[0].after = {1};
    }
    if (rng.chance(0.2)) job.after_jobs.push_back({.job = {.home = {1}, .number = 5}});
    table.add(JobState(std::move(job), now));
  }
  void act(JobState& job, std::uint32_t kind) {
    const std::uint32_t index = rng.below(job.task_count());
    if (job.finished()) {
      const std::vector<std::uint32_t> again{index};
      const Job stored = job.job();
      if (kind != 3) return;
      job.retry(again, &stored);
      return table.go_on(job);
    }
    const auto at = job.bindings().find(index);
    if (kind == 3) job.cancel(index);
    if (kind == 4 && rng.chance(0.3)) job.cancel_all();
    if (kind == 5) job.change({.held = rng.chance(0.3)});
    if (kind == 6) job.change({.after_met = 1});
    if (kind == 7) job.change({.terms = {.deadline = rng.below(4) * 500ms}});
    if (kind == 8) job.end_rests(now);
    if (kind == 8) job.end_wait(now);
    if (kind == 9 && at != job.bindings().end()) job.lose(index, now);
    if (kind > 9 && kind < 13) {
      const std::uint32_t group = rng.below(sched::group_count(job));
      job.bind(static_cast<std::uint16_t>(group), node(1 + rng.below(3)), 1, now);
    }
    if (kind >= 13 && at != job.bindings().end()) {
      const bool fails = rng.chance(0.5);
      const sched::Report report{.index = index,
          .attempt = at->second.attempt,
          .outcome = fails ? sched::Outcome::spawn_failed : sched::Outcome::exited,
          .cause = fails ? sched::Cause::start : sched::Cause::task};
      job.end(report, at->second.worker.id, now);
    }
  }
};

TEST_F(JobNeedsProperty, ATableKnowsWhatAWalkOverItsJobsFinds) {
  for (int seed = 1; seed <= kSeeds; ++seed) {
    begin(static_cast<std::uint64_t>(seed));
    for (int i = 0; i < kSteps; ++i) {
      step();
      compare();
      ASSERT_FALSE(HasFailure()) << "seed " << seed << ", step " << i;
    }
  }
  constexpr int kMany = kSeeds * kSteps / 40;
  EXPECT_GT(bound, kMany);
  EXPECT_GT(resting, kMany);
  EXPECT_GT(due, kMany);
  EXPECT_GT(idle, kMany);
  EXPECT_GT(several, kMany);
}

TEST(JobNeeds, AJobThatIsDueCostsNoLookAtTheOthers) {
  JobTable table(sched::PeerId{99});
  constexpr std::uint32_t kJobs = 500;
  for (std::uint32_t number = 1; number <= kJobs; ++number) {
    Job given = test::job(1);
    given.id = {.home = {99}, .number = number};
    given.held = true;
    given.deadline = number * 1s;
    table.add(JobState(std::move(given), kNow));
  }
  table.note_changes();
  const std::uint64_t before = table.looks();
  for (std::uint32_t number = 1; number <= kJobs; ++number) {
    const Time due = kNow + number * 1s;
    const std::vector<JobState*> found = sched::ConcernedJobs(table).due(due - 1s, due);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found.front()->id().number, number);
    found.front()->cancel_all();
    table.finish(*found.front(), due);
    table.note_changes();
  }
  EXPECT_LE(table.looks() - before, 3 * kJobs);
  EXPECT_EQ(table.active_count(), 0u);
}

TEST(JobNeeds, AJobThatHasFinishedNeedsNothing) {
  Job given = test::job(1);
  given.deadline = 1s;
  JobState job(std::move(given), kNow);
  sched::JobNeeds needs;
  needs.update(job);
  EXPECT_TRUE(needs.any_waiting());
  EXPECT_EQ(needs.next_due(kNow), kNow + 1s);
  job.cancel_all();
  job.finish(kNow);
  needs.update(job);
  EXPECT_EQ(needs, sched::JobNeeds{});
}

}  // namespace
}  // namespace dunlin::test
