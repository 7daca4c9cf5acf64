// SPDX-License-Identifier: MIT
#include "node/store/usage/usage_rows.h"

#include <algorithm>
#include <string_view>

#include "node/store/store_words.h"
#include "node/wall_clock.h"

// An addition is in the transaction of the record that it is of, so a crash keeps both or none: no
// attempt is counted twice or not at all. Sums of a log are those of its home alone, which adds up
// the whole log when it takes the office; see sched::UsageReport for what an earlier home has.
namespace dunlin::node {
namespace {

/// Adds to the row of that key. What is too much for a number stays the greatest that there is:
/// SQLite would make it a number with a fraction.
constexpr const char* kAddUsage =
    "insert into usage(hour, log, home, user, class, epoch, jobs, tasks, failed, preempted, lost, "
    "cpu_us, cpu_held_us, cpu_wasted_us, memory_held, gpu_held_ms) "
    "values(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
    "on conflict(hour, log, home, user, class) do update set epoch = excluded.epoch, "
    "jobs = jobs + excluded.jobs, tasks = tasks + excluded.tasks, "
    "failed = failed + excluded.failed, preempted = preempted + excluded.preempted, "
    "lost = lost + excluded.lost, "
    "cpu_us = cast(cpu_us + excluded.cpu_us as integer), "
    "cpu_held_us = cast(cpu_held_us + excluded.cpu_held_us as integer), "
    "cpu_wasted_us = cast(cpu_wasted_us + excluded.cpu_wasted_us as integer), "
    "memory_held = cast(memory_held + excluded.memory_held as integer), "
    "gpu_held_ms = cast(gpu_held_ms + excluded.gpu_held_ms as integer)";
constexpr const char* kReadUsage =
    "select hour, log, home, user, class, epoch, jobs, tasks, failed, preempted, lost, cpu_us, "
    "cpu_held_us, cpu_wasted_us, memory_held, gpu_held_ms from usage "
    "where (hour, log, home, user, class) > (?, ?, ?, ?, ?) and hour < ? "
    "order by hour, log, home, user, class limit ?";
/// Columns of kReadUsage before the sums.
constexpr int kUsageKeyColumns = 6;

/// Empty for jobs without replicas.
std::string log_text(std::uint64_t log) {
  return log == 0 ? std::string() : hex(sched::PeerId{log});
}

std::int64_t hour_now() {
  return sched::hour_of(wall_clock_ns());
}

}  // namespace

void UsageRows::add(std::uint64_t log, std::uint32_t epoch, const sched::UsageRow& row) {
  sched::UsageKey key = row.key;
  // A clock that is ahead put it into the future: no question would reach it there.
  key.hour = std::min(key.hour, hour_now());
  if (key.hour <= hour_now() - sched::kUsageHours) return;
  Sum& sum = pending_[{log, std::move(key)}];
  sum.epoch = std::max(sum.epoch, epoch);
  sched::add(sum.sums, row.sums);
}

Result<void> UsageRows::add(const sched::UsageNote& put) {
  bool was_lost = false;
  if (put.attempt.attempt != 0) {
    auto known = database_.prepare(
        "select 1 from attempts where job = ? and lineage = ? and task = ? and attempt = ? and "
        "outcome = ?");
    auto row =
        known.bind(put.job.number, put.job.lineage, put.attempt.index, put.attempt.attempt, kLost)
            .step();
    if (!row) return tl::unexpected(row.error());
    was_lost = *row;
  }
  sched::UsageNote note = put;
  if (sched::settle(note, was_lost)) add(note.log, note.epoch, note.row);
  return {};
}

Result<void> UsageRows::set(
    std::uint64_t log, std::uint32_t epoch, const sched::UsageTable& table) {
  std::erase_if(pending_, [&](const auto& each) { return each.first.first == log; });
  const std::string name = log_text(log);
  // The second condition is that of the index.
  auto deleted = database_.prepare("delete from usage where log = ? and log <> ''")
                     .bind(std::string_view(name))
                     .run();
  if (!deleted) return deleted;
  for (const auto& [key, sums] : table.rows()) add(log, epoch, {key, sums});
  return {};
}

Result<void> UsageRows::write() {
  for (const auto& [key, sum] : pending_) {
    const auto& [log, of] = key;
    const std::string name = log_text(log);
    const std::string home = hex(of.home);
    const sched::UsageSums& sums = sum.sums;
    auto written =
        database_.prepare(kAddUsage)
            .bind(of.hour, std::string_view(name), std::string_view(home),
                std::string_view(of.user), std::string_view(of.service_class), sum.epoch, sums.jobs,
                sums.tasks, sums.failed, sums.preempted, sums.lost, sums.cpu_used, sums.cpu_held,
                sums.cpu_wasted, sums.memory_held, sums.gpu_held)
            .run();
    if (!written) return written;
  }
  const bool any = !pending_.empty();
  pending_.clear();
  return any ? prune() : Result<void>{};
}

// Once an hour, and only where something is used.
Result<void> UsageRows::prune() {
  const std::int64_t now = hour_now();
  if (kept_.pruned_in == now) return {};
  auto old =
      database_.prepare("delete from usage where hour <= ?").bind(now - sched::kUsageHours).run();
  if (!old) return old;
  auto beyond = database_
                    .prepare(
                        "delete from usage where hour <= "
                        "(select hour from usage order by hour desc limit 1 offset ?)")
                    .bind(kRowsMax)
                    .run();
  if (!beyond) return beyond;
  kept_.pruned_in = now;
  return {};
}

Result<std::vector<StoredUsage>> read_usage(Database& database, const UsageQuery& query) {
  std::vector<StoredUsage> found;
  auto rows = database.prepare(kReadUsage);
  const std::string log = log_text(query.after.log);
  const std::string home = hex(query.after.key.home);
  const sched::UsageKey& after = query.after.key;
  rows.bind(after.hour, std::string_view(log), std::string_view(home), std::string_view(after.user),
      std::string_view(after.service_class), query.until_hour, query.limit);
  for (;;) {
    const auto row = rows.step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) return found;
    StoredUsage& usage = found.emplace_back();
    usage.at = {.log = from_hex(rows.text(1)),
        .key = {.hour = rows.number(0),
            .home = {from_hex(rows.text(2))},
            .user = std::string(rows.text(3)),
            .service_class = std::string(rows.text(4))}};
    usage.epoch = narrow<std::uint32_t>(rows.number(5));
    int column = kUsageKeyColumns;
    for (std::int64_t sched::UsageSums::* const each : sched::kUsageSums) {
      usage.sums.*each = rows.number(column++);
    }
  }
}

}  // namespace dunlin::node
