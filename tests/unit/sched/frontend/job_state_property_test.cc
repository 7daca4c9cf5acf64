// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sched/frontend/job_check.h"
#include "sched/frontend/job_state.h"
#include "tests/support/builders.h"
#include "tests/support/memory_store.h"
#include "tests/support/now.h"

// Whatever workers, leases, users and crashes do to a job, in any order: its counts add up, no task
// is both waiting and bound, no attempt number is given twice, each task has at most one result,
// and what is stored restores the same.
namespace dunlin::sched {
namespace {

constexpr int kSeeds = 400;
constexpr int kSteps = 150;
using test::kNow;

/// The second waits for the first, or does not.
Job two_groups(bool staged) {
  Job job = test::job(3);
  job.groups[0].retries = 2;
  job.groups.push_back(test::tasks(2));
  if (staged) job.groups[1].after = {0};
  job.id = {.home = {99}, .number = 1};
  return job;
}

/// True if both count the same, and would take the same attempts back.
bool alike(const TaskAttempts& a, const TaskAttempts& b) {
  if (a.failures() != b.failures() || a.losses() != b.losses() || a.ended() != b.ended()) {
    return false;
  }
  for (std::uint32_t attempt = 1; attempt <= a.next(0); ++attempt) {
    if (a.may_return(attempt, 1) != b.may_return(attempt, 1)) return false;
  }
  return true;
}

/// One job, its store, and the workers that were given its tasks.
class Life {
 public:
  explicit Life(std::uint64_t seed) : rng_(seed), job_(two_groups(seed % 2 == 0), kNow) {
    store_.put_job(job_.job());
    commit();
  }
  /// One step of any kind; empty, or what is broken after it.
  std::optional<std::string> step() {
    act();
    // As settle_stages() does.
    for (const auto& [group, met] : job_.take_stage_news()) {
      if (!met && job_.stages().is_missed(group)) job_.cancel_stage(group);
    }
    commit();
    if (job_.counts().all_final() && !job_.finished()) job_.finish(kNow);
    if (auto broken = broken_invariant(job_)) return broken;
    if (!store_.violation().empty()) return store_.violation();
    if (!broken_.empty()) return broken_;
    return compare(restored());
  }
  bool finished() const { return job_.finished().has_value(); }

 private:
  struct Given {
    Attempt attempt;
    Endpoint worker;
    Report report;  ///< Its end: however often it is sent, it says the same.
  };

  void act() {
    const std::uint32_t kind = rng_.below(64);
    if (kind < 15) return bind();
    if (kind == 15) {
      job_.end_rests(kNow + std::chrono::minutes(1));
      return;
    }
    if (kind == 60)
      return store_.put_progress(job_.id(), job_.change({.held = rng_.chance(0.3), .terms = {}}));
    if (kind == 59 && rng_.chance(0.5)) return retry();
    if (kind == 62) return store_.put_progress(job_.id(), job_.cancel_all());
    if (kind == 63) return crash();
    if (kind == 61) {
      const auto ended = job_.cancel(rng_.below(job_.task_count()));
      if (ended) put(store_, job_.id(), *ended);
      return;
    }
    if (given_.empty()) return;
    const Given& given = given_[rng_.index(given_.size())];
    if (kind < 24) {
      if (job_.bindings().contains(given.attempt.index)) keep(job_.lose(given.attempt.index, kNow));
    } else if (kind < 32) {
      keep(job_.refuse(given.attempt, given.worker.id, kNow));
    } else if (kind < 40) {
      job_.confirm(given.attempt, {given.worker}, kNow);
    } else if (kind < 48) {
      job_.adopt(given.attempt, {given.worker}, kNow);
    } else {
      const auto ending = job_.end(given.report, given.worker.id, kNow);
      if (ending) keep(ending->record);
    }
  }
  void bind() {
    const Endpoint worker{.id = {1u + rng_.below(3)}, .address = {}};
    const auto group = static_cast<std::uint16_t>(rng_.below(2));
    const auto attempt = job_.bind(group, worker, 1, kNow);
    if (!attempt) return;
    given_.push_back({*attempt, worker, draw_report(*attempt)});
    if (!numbers_.emplace(attempt->index, attempt->attempt).second) {
      broken_ = "attempt " + std::to_string(attempt->attempt) + " is given twice";
    }
  }
  void retry() {
    std::vector<std::uint32_t> ended;
    for (std::uint32_t i = 0; i < job_.task_count(); ++i) {
      // check_retry() refuses those that would wait in vain.
      const bool in_vain = job_.stages().is_missed(job_.group_of(i));
      if (is_final(job_.task(i).state) && !in_vain && rng_.chance(0.5)) ended.push_back(i);
    }
    if (ended.empty()) return;
    has_retried_ = true;
    const Job stored = store_.load().at(0).job;
    for (const TaskRecord& record : job_.retry(ended, &stored)) put(store_, job_.id(), record);
    store_.put_progress(job_.id(), job_.progress());
  }
  Report draw_report(const Attempt& of) {
    constexpr std::pair<Outcome, int> kEnds[] = {{Outcome::exited, 0}, {Outcome::exited, 1},
        {Outcome::killed, 0}, {Outcome::preempted, 15}, {Outcome::spawn_failed, 2},
        {Outcome::signalled, 9}};
    const auto [outcome, status] = kEnds[rng_.index(std::size(kEnds))];
    constexpr Cause kCauses[] = {Cause::task, Cause::start, Cause::lost};
    return {.index = of.index,
        .attempt = of.attempt,
        .outcome = outcome,
        .status = status,
        .wall = std::chrono::milliseconds(rng_.below(1000)),
        .cause = outcome == Outcome::spawn_failed ? kCauses[rng_.below(3)] : Cause::task};
  }
  void crash() {
    job_ = restored();
    if (!job_.finished()) store_.put_progress(job_.id(), job_.progress());
  }
  /// The job as the next incarnation of its frontend finds it.
  JobState restored() const {
    const StoredJob stored = store_.load().at(0);
    JobState job(stored.job, kNow);
    job.restore(stored.progress, stored.tasks, kNow, kNow);
    return job;
  }
  template <typename Record>
  void keep(const std::optional<Record>& record) {
    if (record) put(store_, job_.id(), *record);
  }
  void keep(const TaskRecord& record) { put(store_, job_.id(), record); }
  void commit() { store_.commit(store_.take_turn()); }

  TaskState restored_state(std::uint32_t index) const {
    const TaskState state = job_.task(index).state;
    if (!is_final(state)) {
      const bool in_vain = job_.stages().is_missed(job_.group_of(index));
      return job_.progress().cancelled || in_vain ? TaskState::cancelled : TaskState::waiting;
    }
    return state;
  }
  std::optional<std::string> compare(const JobState& later) const {
    for (std::uint32_t i = 0; i < job_.task_count(); ++i) {
      const JobState::Task& now = job_.task(i);
      const JobState::Task& then = later.task(i);
      const TaskState expected = restored_state(i);
      if (then.state != expected) return "task " + std::to_string(i) + " restores otherwise";
      if (now.state == TaskState::waiting && !alike(now.attempts, then.attempts)) {
        return "task " + std::to_string(i) + " restores other attempts";
      }
      if (now.state == TaskState::waiting && job_.preemptions(i) != later.preemptions(i)) {
        return "task " + std::to_string(i) + " restores other preemptions";
      }
    }
    for (std::uint16_t group = 0; group < 2; ++group) {
      // The run times of results that were given up for another attempt are forgotten by then.
      const double ran = job_.groups()[group].ran;
      if (has_retried_ ? later.groups()[group].ran > ran : later.groups()[group].ran != ran) {
        return "a group restores another task time";
      }
    }
    return {};
  }

  Rng rng_;
  JobState job_;
  test::MemoryStore store_;
  std::vector<Given> given_;  ///< To workers, ever.
  std::set<std::pair<std::uint32_t, std::uint16_t>> numbers_;
  std::string broken_;
  bool has_retried_ = false;
};

TEST(JobStateProperty, TheBooksOfAJobAddUpWhateverHappens) {
  int finished = 0;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    Life life(static_cast<std::uint64_t>(seed));
    for (int step = 0; step < kSteps; ++step) {
      const auto broken = life.step();
      ASSERT_FALSE(broken) << *broken << " (seed " << seed << ", step " << step << ")";
    }
    finished += life.finished() ? 1 : 0;
  }
  EXPECT_GT(finished, kSeeds / 4) << "or the steps lead nowhere";
  EXPECT_LT(finished, kSeeds) << "or they are over too soon";
}

}  // namespace
}  // namespace dunlin::sched
