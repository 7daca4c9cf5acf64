// SPDX-License-Identifier: MIT
#include "node/store/nodes/way_table.h"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "node/store/store_words.h"
#include "node/wall_clock.h"

// The ways by which nodes were reached that do not answer at the address that they tell. It is
// knowledge that can be found out again, so rows have no checksum, and a row that makes no sense is
// passed over. All of it is kept in memory; the table is for the next start.
namespace dunlin::node {
namespace {

/// It may be missing in a database of this version, and an older Dunlin leaves it alone. Rows have
/// no checksum: what is spoilt is found out again.
constexpr const char* kWaySchema = R"sql(
create table if not exists ways(
  node text primary key,             -- 16 hexadecimal digits
  told_high integer not null,        -- these three: what it tells, as of IPv6, and the port
  told_low integer not null,
  told_port integer not null,
  high integer not null,             -- these three: where it was reached instead
  low integer not null,
  port integer not null,
  found_at integer not null
) without rowid;
)sql";
constexpr const char* kReadWays =
    "select node, told_high, told_low, told_port, high, low, port, found_at from ways";
constexpr const char* kPutWay =
    "insert or replace into ways(node, told_high, told_low, told_port, high, low, port, found_at) "
    "values(?, ?, ?, ?, ?, ?, ?, ?)";
constexpr const char* kDeleteWay = "delete from ways where node = ?";

/// The address of three columns; empty if no node can have it.
overlay::Address address_at(const Statement& row, int column) {
  const std::int64_t port = row.number(column + 2);
  if (port <= 0 || port > std::numeric_limits<std::uint16_t>::max()) return {};
  return {.high = static_cast<std::uint64_t>(row.number(column)),
      .low = static_cast<std::uint64_t>(row.number(column + 1)),
      .port = static_cast<std::uint16_t>(port)};
}

}  // namespace

Result<void> WayTable::open() {
  if (auto made = database_.execute(kWaySchema); !made) return made;
  auto rows = database_.prepare(kReadWays);
  for (;;) {
    const auto row = rows.step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) return {};
    const overlay::PeerId node{from_hex(rows.text(0))};
    const KnownWay way{
        .told = address_at(rows, 1), .works = address_at(rows, 4), .found_at = rows.number(7)};
    if (node && way.told && way.works && ways_.size() < kWaysMax) ways_[node] = way;
  }
}

void WayTable::put(
    overlay::PeerId node, const overlay::Address& told, const overlay::Address& works) {
  const auto known = ways_.find(node);
  const bool is_new =
      known == ways_.end() || known->second.told != told || known->second.works != works;
  if (!is_new) return;
  const KnownWay way{.told = told, .works = works, .found_at = wall_clock_ns()};
  ways_[node] = way;
  changed_[node] = way;
  if (ways_.size() <= kWaysMax) return;
  drop(std::ranges::min_element(ways_, {}, [](const auto& entry) {
    return entry.second.found_at;
  })->first);
}

void WayTable::drop(overlay::PeerId node) {
  if (ways_.erase(node) > 0) changed_[node] = std::nullopt;
}

void WayTable::begin_commit() {
  writing_ = std::exchange(changed_, {});
}

Result<void> WayTable::write() {
  for (const auto& [id, way] : writing_) {
    const std::string key = hex(id);
    const std::string_view node = key;
    auto done = way ? database_.prepare(kPutWay)
                          .bind(node, way->told.high, way->told.low, way->told.port,
                              way->works.high, way->works.low, way->works.port, way->found_at)
                          .run()
                    : database_.prepare(kDeleteWay).bind(node).run();
    if (!done) return done;
  }
  return {};
}

void WayTable::end_commit(bool done) {
  if (!done) changed_.merge(writing_);  // What changed meanwhile stays.
  writing_.clear();
}

}  // namespace dunlin::node
