// SPDX-License-Identifier: MIT
#include "node/store/store.h"
#include "node/store/store_words.h"

// What people ask of the store.
namespace dunlin::node {
namespace {

// Columns of results and attempts from `task` on, in the order of read_report().
sched::Report read_report(const Statement& row) {
  return {.index = narrow<std::uint32_t>(row.number(0)),
      .attempt = narrow<std::uint16_t>(row.number(1)),
      .outcome = outcome_of(row.text(2)),
      .status = narrow<std::int32_t>(row.number(3)),
      .wall = sched::Duration{row.number(5)},
      .cpu = sched::Duration{row.number(6)},
      .memory_peak = static_cast<std::uint64_t>(row.number(7)),
      .out_bytes = static_cast<std::uint64_t>(row.number(8)),
      .err_bytes = static_cast<std::uint64_t>(row.number(9)),
      .started_at = row.number(10),
      .detail = std::string(row.text(11))};
}

}  // namespace

Result<std::vector<ResultRow>> SqliteStore::results(const ResultQuery& query) {
  auto rows = database_.prepare(
      "select task, attempt, outcome, status, worker, wall_ns, cpu_ns, memory_peak, out_bytes, "
      "err_bytes, started_at, detail from results where job = ? and task >= ? "
      "and (not ? or outcome <> 'exited' or status <> 0) order by task limit ?");
  rows.bind(query.job, query.first, query.failed_only, query.limit);
  std::vector<ResultRow> found;
  for (;;) {
    auto row = rows.step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) return found;
    found.push_back({.report = read_report(rows), .worker = {from_hex(rows.text(4))}});
  }
}

Result<std::vector<AttemptRow>> SqliteStore::attempts(std::uint32_t job, std::uint32_t index) {
  auto rows = database_.prepare(
      "select task, attempt, outcome, status, worker, wall_ns, cpu_ns, memory_peak, out_bytes, "
      "err_bytes, started_at, detail from attempts where job = ? and task = ? order by attempt");
  rows.bind(job, index);
  std::vector<AttemptRow> found;
  for (;;) {
    auto row = rows.step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) return found;
    found.push_back({.report = read_report(rows),
        .worker = {from_hex(rows.text(4))},
        .lost = rows.text(2) == kLost});
  }
}

Result<std::vector<std::int64_t>> SqliteStore::values(std::uint32_t job, Measure measure) {
  constexpr const char* kQueries[] = {"select wall_ns from results where job = ?",
      "select cpu_ns from results where job = ?", "select memory_peak from results where job = ?"};
  auto rows = database_.prepare(kQueries[static_cast<std::size_t>(measure)]);
  rows.bind(job);
  std::vector<std::int64_t> values;
  for (;;) {
    auto row = rows.step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) return values;
    values.push_back(rows.number(0));
  }
}

}  // namespace dunlin::node
