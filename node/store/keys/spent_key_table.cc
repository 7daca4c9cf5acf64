// SPDX-License-Identifier: MIT
#include "node/store/keys/spent_key_table.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "node/store/store_schema.h"
#include "node/store/store_words.h"
#include "node/wall_clock.h"

// Keys of submissions outlive their jobs for a day, so that a client that says one again, late,
// does not start a second job. They are bounded in number: beyond that the users with most of them
// lose their oldest.
namespace dunlin::node {
namespace {

/// Long after their day: a wall clock that was wrong for a while must not take them away.
constexpr sched::Duration kRowsKept = std::chrono::hours(24 * 30);

}  // namespace

Result<void> SpentKeyTable::open() {
  return database_.execute(kSpentKeySchema);
}

void SpentKeyTable::put(const sched::SpentKey& key) {
  queue_.push_back({.key = key, .spent_at = wall_clock_ns()});
}

Result<std::vector<StoredSpentKey>> SpentKeyTable::load() {
  std::vector<StoredSpentKey> found;
  auto rows = database_.prepare(
      "select hash, home, job, lineage, owner, name, tasks, spent_at from spent_keys "
      "order by spent_at, job");
  for (;;) {
    const auto row = rows.step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) return found;
    found.push_back({.key = {.hash = static_cast<std::uint64_t>(rows.number(0)),
                         .id = {.home = {from_hex(rows.text(1))},
                             .number = narrow<std::uint32_t>(rows.number(2)),
                             .lineage = static_cast<std::uint64_t>(rows.number(3))},
                         .owner = std::string(rows.text(4)),
                         .name = std::string(rows.text(5)),
                         .tasks = narrow<std::uint32_t>(rows.number(6))},
        .spent_at = rows.number(7)});
  }
}

void SpentKeyTable::begin_commit() {
  writing_ = std::exchange(queue_, {});
}

Result<void> SpentKeyTable::write() {
  for (const StoredSpentKey& row : writing_) {
    const std::string home = hex(row.key.id.home);
    auto written =
        database_
            .prepare(
                "insert or ignore into spent_keys(hash, home, job, lineage, owner, name, tasks, "
                "spent_at) values(?, ?, ?, ?, ?, ?, ?, ?)")
            .bind(row.key.hash, std::string_view(home), row.key.id.number, row.key.id.lineage,
                std::string_view(row.key.owner), std::string_view(row.key.name), row.key.tasks,
                row.spent_at)
            .run();
    if (!written) return written;
  }
  return writing_.empty() ? Result<void>{} : prune();
}

// Only where keys come: a node that forgets no job has none too many.
Result<void> SpentKeyTable::prune() {
  auto old = database_.prepare("delete from spent_keys where spent_at <= ?")
                 .bind(wall_clock_ns() - kRowsKept.count())
                 .run();
  if (!old) return old;
  auto count = database_.prepare("select count(*) from spent_keys");
  const auto row = count.step();
  if (!row) return tl::unexpected(row.error());
  constexpr auto kMax = static_cast<std::int64_t>(sched::SpentKeys::kMax);
  for (std::int64_t beyond = count.number(0) - kMax; beyond > 0; --beyond) {
    auto first = database_
                     .prepare(
                         "delete from spent_keys where hash = (select hash from spent_keys where "
                         "owner = (select owner from spent_keys group by owner order by count(*) "
                         "desc limit 1) order by spent_at limit 1)")
                     .run();
    if (!first) return first;
  }
  return {};
}

void SpentKeyTable::end_commit(bool done) {
  if (!done) {
    std::ranges::move(queue_, std::back_inserter(writing_));
    queue_.swap(writing_);
  }
  writing_.clear();
}

}  // namespace dunlin::node
