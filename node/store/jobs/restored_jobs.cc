// SPDX-License-Identifier: MIT
#include "node/store/jobs/restored_jobs.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>

#include "node/store/checked_rows.h"
#include "node/store/jobs/changes_blob.h"
#include "node/store/jobs/job_blob.h"
#include "node/store/jobs/job_ends.h"
#include "node/store/store_words.h"

// The records of an earlier incarnation: jobs with their tasks, and results that are not needed any
// more. An unsound row is left out and named. A job without its row is lost; a task without its
// result runs again; an attempt with an unreadable row counts as lost, so that its number is not
// given again. The rows of one job are neighbours: each job costs one walk over its own rows.
namespace dunlin::node {
namespace {

/// A damaged number may be anything: numbers go on from those that leave room.
constexpr std::uint32_t kNumberMax = 1u << 31;

std::string task_text(const Statement& row) {
  return "task " + std::to_string(row.number(1)) + " of job " + std::to_string(row.number(0));
}

/// `tasks` stays in the order of their indices: results and attempts, each in that order, are
/// merged into it.
sched::StoredTask& task_of(std::vector<sched::StoredTask>& tasks, std::uint32_t index) {
  const auto place = std::ranges::lower_bound(tasks, index, {}, &sched::StoredTask::index);
  if (place != tasks.end() && place->index == index) return *place;
  return *tasks.insert(place, {.index = index});
}

/// Names damaged rows that are not among the `named`: a row with a damaged key lies where no
/// search finds it, but a walk over all rows does.
Result<void> count_misplaced(Database& database, DamageLog& damage, std::uint64_t named) {
  auto query = database.prepare(
      "select (select count(*) from checked_results where not sound) + "
      "(select count(*) from checked_attempts where not sound)");
  auto row = query.step();
  if (!row) return tl::unexpected(row.error());
  const auto all = static_cast<std::uint64_t>(query.number(0));
  if (all <= named) return {};
  damage.note(std::to_string(all - named) +
      " rows of results or attempts that lost their place, and are left out");
  return {};
}

/// Of a job whose tasks have no records any more, nor is it known how they ended.
sched::EndFacts unknown_end(const sched::Job& job) {
  return {.worst = sched::Outcome::killed, .exit = EXIT_FAILURE, .cancelled = job.task_count()};
}

/// One walk over all that an earlier incarnation left behind of jobs.
class JobsReader {
 public:
  JobsReader(Database& database, DamageLog& damage) : database_(database), damage_(damage) {}
  Result<RestoredJobs> read();

 private:
  Result<std::vector<sched::StoredTask>> read_tasks(const sched::JobId& job);
  Result<void> read_wishes(const sched::JobId& job, std::vector<sched::StoredTask>& tasks);
  /// Rows whose job is gone: a crash came before all of them were deleted. `may_delete` is false if
  /// the row of some job is damaged, because its results look just the same.
  Result<void> find_forgotten(bool may_delete);

  Database& database_;
  DamageLog& damage_;
  std::set<StoredJobKey> forgotten_;
};

Result<RestoredJobs> JobsReader::read() {
  std::vector<sched::StoredJob> jobs;
  bool whole = true;
  std::uint64_t named = damage_.count();
  auto rows = database_.prepare(
      "select number, home, name, owner, submitted_at, cancelled, restarts, groups, task_count, "
      "lineage, sound, changes from checked_jobs order by number");
  for (;;) {
    auto row = rows.step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) break;
    sched::StoredJob stored;
    stored.job.id = {.home = {from_hex(rows.text(1))},
        .number = narrow<std::uint32_t>(rows.number(0)),
        .lineage = static_cast<std::uint64_t>(rows.number(9))};
    stored.job.name = rows.text(2);
    stored.job.owner = rows.text(3);
    stored.job.submitted_at = rows.number(4);
    read_cancelled(rows.number(5), stored.progress);
    stored.progress.restarts = narrow<std::uint32_t>(rows.number(6));
    const bool sound = rows.number(10) != 0;
    auto blob = decode_groups(rows.text(7));
    if (blob) put_blob(std::move(*blob), stored.job);
    const auto changed = decode_changes(rows.text(11), stored.progress);
    // The number of tasks stands beside the groups, so a blob that decodes to another job shows.
    if (!sound || !blob || !changed || stored.job.task_count() != rows.number(8)) {
      damage_.note("job " + std::to_string(rows.number(0)) + ", which is left out");
      whole = false;
      ++named;
      continue;
    }
    const bool pruned = rows.number(5) >= kPruned;
    auto found = find_end(database_, stored.job.id);
    if (!found) return tl::unexpected(found.error());
    if (!found->sound) {
      damage_.note("how job " + std::to_string(rows.number(0)) + " ended");
      ++named;
    }
    stored.progress.ended = found->end;
    if (pruned) {
      if (!stored.progress.ended) stored.progress.ended = unknown_end(stored.job);
      stored.progress.ended->pruned = true;
      jobs.push_back(std::move(stored));
      continue;
    }
    auto tasks = read_tasks(stored.job.id);
    if (!tasks) return tl::unexpected(tasks.error());
    if (auto wishes = read_wishes(stored.job.id, *tasks); !wishes) {
      return tl::unexpected(wishes.error());
    }
    stored.tasks = std::move(*tasks);
    jobs.push_back(std::move(stored));
  }
  // The number of a job with a damaged row is unknown: its results may look forgotten.
  if (auto found = find_forgotten(whole); !found) return tl::unexpected(found.error());
  named = damage_.count() - named;
  if (auto counted = count_misplaced(database_, damage_, named); !counted)
    return tl::unexpected(counted.error());
  return RestoredJobs{std::move(jobs), std::move(forgotten_)};
}

Result<std::vector<sched::StoredTask>> JobsReader::read_tasks(const sched::JobId& job) {
  std::vector<sched::StoredTask> tasks;
  const auto lineage = static_cast<std::int64_t>(job.lineage);
  auto results = database_.prepare(
      "select job, task, outcome, status, lineage, sound, wall_ns, started_at from checked_results "
      "where job = ? order by task");
  results.bind(job.number);
  for (;;) {
    auto row = results.step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) break;
    if (results.number(5) == 0) {
      damage_.note("the result of " + task_text(results) + ", which runs again");
    } else if (results.number(4) == lineage) {
      tasks.push_back({.index = narrow<std::uint32_t>(results.number(1)),
          .finished = true,
          .outcome = outcome_of(results.text(2)),
          .status = narrow<std::int32_t>(results.number(3)),
          .wall = sched::Duration{results.number(6)},
          .started_at = results.number(7)});
    }
  }
  auto attempts = database_.prepare(
      "select job, task, outcome, lineage, sound, attempt, worker, retried from checked_attempts "
      "where job = ? order by task, attempt");
  attempts.bind(job.number);
  for (;;) {
    auto row = attempts.step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) return tasks;
    const bool sound = attempts.number(4) != 0;
    if (!sound) damage_.note("an attempt of " + task_text(attempts) + ", which counts as lost");
    // An unsound row may be of this lineage: to count it costs a number, to miss it gives one
    // twice.
    if (sound && attempts.number(3) != lineage) continue;
    auto& task = task_of(tasks, narrow<std::uint32_t>(attempts.number(1)));
    const auto attempt = narrow<std::uint32_t>(attempts.number(5));
    // A retry by the user: what happened up to that attempt is no reason to give up or to avoid a
    // node.
    if (const auto last = narrow<std::uint32_t>(attempts.number(7)); sound && last > 0) {
      task.retried = task.ended = last;
      task.losses = sched::number_of(last);
      task.failures = task.preemptions = 0;
      task.lost = 0;
      task.avoided.clear();
    }
    if (attempt <= task.retried) continue;
    const bool lost = attempts.text(2) == kLost;
    const bool preempted = attempts.text(2) == sched::word_of(sched::Outcome::preempted);
    // What others did to the task, or its node, costs it no retry.
    const bool stopped = preempted || attempts.text(2) == sched::word_of(sched::Outcome::killed) ||
        cause_of(attempts.text(2)) != sched::Cause::task;
    ++(sound && !lost && !stopped ? task.failures : task.losses);
    if (sound && preempted) ++task.preemptions;
    const bool avoided = outcome_of(attempts.text(2)) == sched::Outcome::spawn_failed;
    if (sound && avoided) task.avoided.push_back({from_hex(attempts.text(6))});
    if (sound && lost) task.lost = std::max(task.lost, attempt);
    if (sound && !lost) task.ended = std::max(task.ended, attempt);
  }
}

Result<void> JobsReader::read_wishes(
    const sched::JobId& job, std::vector<sched::StoredTask>& tasks) {
  auto wishes = database_.prepare(
      "select job, task, attempt, wished, sound from checked_wishes where job = ? and lineage = ? "
      "order by task");
  wishes.bind(job.number, static_cast<std::int64_t>(job.lineage));
  for (;;) {
    auto row = wishes.step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) return {};
    if (wishes.number(4) == 0) {
      damage_.note(
          "a wish (cancel, requeue, only) of " + task_text(wishes) + ", which is forgotten");
      continue;
    }
    auto& task = task_of(tasks, narrow<std::uint32_t>(wishes.number(1)));
    const auto attempt = narrow<std::uint32_t>(wishes.number(2));
    const auto* const word = std::ranges::find(sched::kWishedWords, wishes.text(3));
    if (word == std::end(sched::kWishedWords)) continue;
    const auto wished = static_cast<sched::Wished>(word - std::begin(sched::kWishedWords));
    sched::attempt_of(task, wished) = attempt;
  }
}

Result<void> JobsReader::find_forgotten(bool may_delete) {
  struct Table {
    const char* next;
    const char* damaged;
  };
  // A job's rows are neighbours: hop from job to job instead of looking at every row.
  for (const auto& [next_job, damaged_rows] :
      {Table{"select job, lineage from results where (job, lineage) > (?, ?) "
             "order by job, lineage limit 1",
           "select job, task from checked_results where job = ? and lineage = ? and not sound"},
          Table{"select job, lineage from attempts where (job, lineage) > (?, ?) "
                "order by job, lineage limit 1",
              "select job, task from checked_attempts where job = ? and lineage = ? and not "
              "sound"},
          Table{"select job, lineage from wishes where (job, lineage) > (?, ?) "
                "order by job, lineage limit 1",
              "select job, task from checked_wishes where job = ? and lineage = ? and not "
              "sound"}}) {
    std::int64_t job = std::numeric_limits<std::int64_t>::min();
    for (std::int64_t lineage = job;;) {
      auto next = database_.prepare(next_job);
      auto row = next.bind(job, lineage).step();
      if (!row) return tl::unexpected(row.error());
      if (!*row) break;
      job = next.number(0);
      lineage = next.number(1);
      // Rows of a job that needs none any more are left over, too.
      auto known = database_.prepare(
          "select 1 from jobs where number = ? and lineage = ? and cancelled < ?");
      auto found = known.bind(job, lineage, kPruned).step();
      if (!found) return tl::unexpected(found.error());
      if (*found) continue;
      if (may_delete && std::in_range<std::uint32_t>(job)) {
        forgotten_.emplace(static_cast<std::uint32_t>(job), static_cast<std::uint64_t>(lineage));
      }
      auto damaged = database_.prepare(damaged_rows);
      damaged.bind(job, lineage);
      for (;;) {
        auto bad = damaged.step();
        if (!bad) return tl::unexpected(bad.error());
        if (!*bad) break;
        damage_.note("a row of " + task_text(damaged) + ", if that is whose it was");
      }
    }
  }
  return {};
}

}  // namespace

Result<RestoredJobs> read_jobs(Database& database, DamageLog& damage) {
  return JobsReader(database, damage).read();
}

Result<std::vector<sched::StoredHolder>> read_holders(Database& database, DamageLog& damage) {
  std::vector<sched::StoredHolder> found;
  auto rows = database.prepare(
      "select node, high, low, port, away, sound from checked_holders order by node");
  for (;;) {
    auto row = rows.step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) return found;
    if (rows.number(5) == 0) {
      damage.note("a worker that may hold tasks, which is not waited for");
      continue;
    }
    const overlay::Address at{.high = static_cast<std::uint64_t>(rows.number(1)),
        .low = static_cast<std::uint64_t>(rows.number(2)),
        .port = narrow<std::uint16_t>(rows.number(3))};
    found.push_back(
        {.worker = {{from_hex(rows.text(0))}, at}, .away = sched::Duration{rows.number(4)}});
  }
}

// All three tables count: a job whose row is damaged must not lend its number, and with it its old
// results, to a new job.
Result<std::uint32_t> read_job_last(Database& database) {
  std::int64_t last = 0;
  for (const char* const sql : {"select coalesce(max(number), 0) from jobs where number < ?",
           "select coalesce(max(job), 0) from results where job < ?",
           "select coalesce(max(job), 0) from attempts where job < ?"}) {
    auto query = database.prepare(sql);
    auto row = query.bind(kNumberMax).step();
    if (!row) return tl::unexpected(row.error());
    last = std::max(last, query.number(0));
  }
  return narrow<std::uint32_t>(last);
}

}  // namespace dunlin::node
