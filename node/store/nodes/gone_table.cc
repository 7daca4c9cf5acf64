// SPDX-License-Identifier: MIT
#include "node/store/nodes/gone_table.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "node/store/store_schema.h"
#include "node/store/store_words.h"

// Nodes that left without a good-bye, so that an operator who comes later sees which are missing.
// All are in memory; of what changed since the last commit only the last word on each node is
// written.
namespace dunlin::node {

Result<void> GoneTable::open() {
  if (auto made = database_.execute(kGoneSchema); !made) return made;
  auto rows =
      database_.prepare("select node, name, high, low, port, heard_at, forgotten from gone_nodes");
  for (;;) {
    const auto row = rows.step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) break;
    const std::int64_t port = rows.number(4);
    if (port < 0 || port > std::numeric_limits<std::uint16_t>::max()) continue;
    gone_[{from_hex(rows.text(0))}] = {.name = std::string(rows.text(1)),
        .address = {.high = static_cast<std::uint64_t>(rows.number(2)),
            .low = static_cast<std::uint64_t>(rows.number(3)),
            .port = static_cast<std::uint16_t>(port)},
        .heard_at = rows.number(5),
        .forgotten = rows.number(6) != 0};
  }
  return {};
}

void GoneTable::put(overlay::PeerId id, const GoneNode& node) {
  gone_[id] = node;
  changed_[id] = node;
  if (gone_.size() <= kGoneMax) return;
  drop(std::ranges::min_element(gone_, {}, [](const auto& entry) {
    return entry.second.heard_at;
  })->first);
}

void GoneTable::drop(overlay::PeerId id) {
  if (gone_.erase(id) > 0) changed_[id] = std::nullopt;
}

void GoneTable::begin_commit() {
  writing_ = std::exchange(changed_, {});
}

Result<void> GoneTable::write() {
  for (const auto& [id, node] : writing_) {
    const std::string key = hex(id);
    if (!node) {
      auto deleted = database_.prepare("delete from gone_nodes where node = ?")
                         .bind(std::string_view(key))
                         .run();
      if (!deleted) return deleted;
      continue;
    }
    auto written =
        database_
            .prepare(
                "insert or replace into gone_nodes(node, name, high, low, port, "
                "heard_at, forgotten) values(?, ?, ?, ?, ?, ?, ?)")
            .bind(std::string_view(key), std::string_view(node->name), node->address.high,
                node->address.low, node->address.port, node->heard_at, node->forgotten)
            .run();
    if (!written) return written;
  }
  return {};
}

void GoneTable::end_commit(bool done) {
  if (!done) changed_.merge(writing_);  // What changed meanwhile stays.
  writing_.clear();
}

}  // namespace dunlin::node
