// SPDX-License-Identifier: MIT
#include "node/store/store.h"

#include <algorithm>

#include "node/store/job_blob.h"
#include "node/store/store_words.h"

// What an agent's next life is told of the one before: jobs, results, and attempts that came to
// nothing.
namespace dunlin::node {

Result<std::vector<sched::StoredJob>> SqliteStore::restore() {
  std::vector<sched::StoredJob> jobs;
  auto rows = database_.prepare(
      "select number, home, name, owner, submitted_at, cancelled, restarts, groups, task_count "
      "from jobs order by number");
  for (;;) {
    auto row = rows.step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) break;
    sched::StoredJob stored;
    stored.job.id = {
        .home = {from_hex(rows.text(1))}, .number = narrow<std::uint32_t>(rows.number(0))};
    stored.job.name = rows.text(2);
    stored.job.owner = rows.text(3);
    stored.job.submitted_at = rows.number(4);
    stored.progress.cancelled = rows.number(5) != 0;
    stored.progress.restarts = narrow<std::uint32_t>(rows.number(6));
    auto blob = decode_groups(rows.text(7));
    if (blob) {
      stored.job.groups = std::move(blob->groups);
      stored.job.service_class = std::move(blob->service_class);
    }
    if (!blob || stored.job.task_count() != rows.number(8)) {
      auto error = database_.error(SQLITE_CORRUPT);
      error.text += " [job " + std::to_string(stored.job.id.number) + ": " +
          (blob ? "its tasks are not as many as were submitted" : blob.error().text) + "]";
      return tl::unexpected(error);
    }
    auto tasks = restore_tasks(stored.job.id.number);
    if (!tasks) return tl::unexpected(tasks.error());
    stored.tasks = std::move(*tasks);
    jobs.push_back(std::move(stored));
  }
  return jobs;
}

Result<std::vector<sched::StoredTask>> SqliteStore::restore_tasks(std::uint32_t job) {
  std::vector<sched::StoredTask> tasks;
  auto results =
      database_.prepare("select task, outcome, status from results where job = ? order by task");
  results.bind(job);
  for (;;) {
    auto row = results.step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) break;
    tasks.push_back({.index = narrow<std::uint32_t>(results.number(0)),
        .finished = true,
        .outcome = outcome_of(results.text(1)),
        .status = narrow<std::int32_t>(results.number(2))});
  }
  const std::size_t finished = tasks.size();
  auto attempts = database_.prepare(
      "select task, sum(outcome in ('lost', 'killed')), sum(outcome not in ('lost', 'killed')), "
      "max(iif(outcome = 'lost', 0, attempt)), max(iif(outcome = 'lost', attempt, 0)) "
      "from attempts where job = ? group by task order by task");
  attempts.bind(job);
  for (std::size_t i = 0;;) {
    auto row = attempts.step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) break;
    const auto index = narrow<std::uint32_t>(attempts.number(0));
    while (i < finished && tasks[i].index < index) ++i;
    if (i == finished || tasks[i].index != index) tasks.push_back({.index = index});
    auto& task = i < finished && tasks[i].index == index ? tasks[i] : tasks.back();
    task.losses = narrow<std::uint16_t>(attempts.number(1));
    task.failures = narrow<std::uint16_t>(attempts.number(2));
    task.ended = narrow<std::uint16_t>(attempts.number(3));
    task.lost = narrow<std::uint16_t>(attempts.number(4));
  }
  std::ranges::inplace_merge(
      tasks, tasks.begin() + static_cast<std::ptrdiff_t>(finished), {}, &sched::StoredTask::index);
  return tasks;
}

}  // namespace dunlin::node
