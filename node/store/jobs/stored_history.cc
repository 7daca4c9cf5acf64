// SPDX-License-Identifier: MIT
#include "node/store/jobs/stored_history.h"

#include <cstdint>
#include <string>
#include <utility>

#include "node/store/jobs/job_blob.h"
#include "node/store/jobs/use_blob.h"
#include "node/store/store_words.h"
#include "node/store/usage/usage_rows.h"

// The writer's thread holds the first connection for as long as a commit takes, so all of this
// reads by the second one.
namespace dunlin::node {
namespace {

// Columns of results and attempts from `task` on, in the order of read_report().
sched::Report read_report(const Statement& row) {
  return {.index = narrow<std::uint32_t>(row.number(0)),
      .attempt = narrow<std::uint32_t>(row.number(1)),
      .outcome = outcome_of(row.text(2)),
      .status = narrow<std::int32_t>(row.number(3)),
      .wall = sched::Duration{row.number(5)},
      .cpu = sched::Duration{row.number(6)},
      .memory_peak = static_cast<std::uint64_t>(row.number(7)),
      .out_bytes = static_cast<std::uint64_t>(row.number(8)),
      .err_bytes = static_cast<std::uint64_t>(row.number(9)),
      .started_at = row.number(10),
      .detail = std::string(row.text(11)),
      .cause = cause_of(row.text(2)),
      .use = decode_use(row.text(13))};
}

std::string damaged_text(const char* what, const sched::JobId& job, const Statement& row) {
  return std::string(what) + " of task " + std::to_string(row.number(0)) + " of job " +
      std::to_string(job.number) + ", which is left out";
}

}  // namespace

Result<sched::Job> StoredHistory::job(const sched::JobId& id) {
  auto rows = reader_.prepare(
      "select name, owner, submitted_at, groups, sound from checked_jobs where number = ? and "
      "lineage = ?");
  auto row = rows.bind(id.number, id.lineage).step();
  if (!row) return tl::unexpected(row.error());
  const std::string name = "the record of job " + std::to_string(id.number);
  if (!*row) return failure(ErrorKind::not_found, name + " is not on disk yet: try again");
  sched::Job job;
  job.id = id;
  job.name = rows.text(0);
  job.owner = rows.text(1);
  job.submitted_at = rows.number(2);
  auto blob = decode_groups(rows.text(3));
  if (!blob || rows.number(4) == 0) {
    return failure(ErrorKind::corrupt, name + " is damaged: submit it as another job");
  }
  put_blob(std::move(*blob), job);
  return job;
}

Result<std::vector<ResultRow>> StoredHistory::results(const ResultQuery& query) {
  auto rows = reader_.prepare(
      "select task, attempt, outcome, status, worker, wall_ns, cpu_ns, memory_peak, out_bytes, "
      "err_bytes, started_at, detail, sound, used from checked_results where job = ? and lineage = "
      "? and "
      "task >= ? "
      "and case ? when 'failed' then outcome <> 'killed' and (outcome <> 'exited' or status <> 0) "
      "when 'cancelled' then outcome = 'killed' else true end order by task limit ?");
  // By the sets that users know: a task that was cancelled has not failed. The limit and `first`
  // make pages, lest a million rows are read in one turn of the loop.
  constexpr std::string_view kListed[] = {"all", "failed", "cancelled"};
  rows.bind(query.job.number, query.job.lineage, query.first,
      kListed[static_cast<std::size_t>(query.listed)], query.limit);
  std::vector<ResultRow> found;
  for (;;) {
    auto row = rows.step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) return found;
    // The checksum of the row is wrong: it is left out and told as damage, and the others stay
    // readable.
    if (rows.number(12) == 0) {
      damage_.note(damaged_text("the result", query.job, rows));
      continue;
    }
    found.push_back({.report = read_report(rows), .worker = {from_hex(rows.text(4))}});
  }
}

Result<std::vector<AttemptRow>> StoredHistory::attempts(
    const sched::JobId& job, std::uint32_t index) {
  auto rows = reader_.prepare(
      "select task, attempt, outcome, status, worker, wall_ns, cpu_ns, memory_peak, out_bytes, "
      "err_bytes, started_at, detail, sound, used from checked_attempts where job = ? and lineage "
      "= ? "
      "and task = ? "
      "order by attempt");
  rows.bind(job.number, job.lineage, index);
  return read_attempts(job, rows);
}

// What is damaged counts for the limit: a page must not read on for ever.
Result<std::vector<AttemptRow>> StoredHistory::attempts(const AttemptQuery& query) {
  auto rows = reader_.prepare(
      "select task, attempt, outcome, status, worker, wall_ns, cpu_ns, memory_peak, out_bytes, "
      "err_bytes, started_at, detail, sound, used from checked_attempts where job = ? and lineage "
      "= ? "
      "and (task, attempt) > (?, ?) "
      "order by task, attempt limit ?");
  rows.bind(query.job.number, query.job.lineage, query.task, query.attempt, query.limit);
  return read_attempts(query.job, rows);
}

Result<std::vector<AttemptRow>> StoredHistory::read_attempts(
    const sched::JobId& job, Statement& rows) {
  std::vector<AttemptRow> found;
  for (;;) {
    auto row = rows.step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) return found;
    if (rows.number(12) == 0) {
      damage_.note(damaged_text("an attempt", job, rows));
      continue;
    }
    found.push_back({.report = read_report(rows),
        .worker = {from_hex(rows.text(4))},
        .lost = rows.text(2) == kLost});
  }
}

Result<std::vector<StoredUsage>> StoredHistory::usage(const UsageQuery& query) {
  return read_usage(reader_, query);
}

bool StoredHistory::has_usage() {
  const auto first = usage({.after = {}, .until_hour = INT64_MAX, .limit = 1});
  return !first || !first->empty();
}

}  // namespace dunlin::node
