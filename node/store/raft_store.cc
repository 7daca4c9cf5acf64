// SPDX-License-Identifier: MIT
#include "node/store/raft_store.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "node/store/store_words.h"
#include "sched/raft/raft_check.h"
#include "sched/raft/raft_members.h"

namespace dunlin::node {
namespace {

std::uint64_t unsigned_of(std::int64_t value) {
  return static_cast<std::uint64_t>(value);
}

std::string_view word_of(sched::EntryKind kind) {
  return sched::raft::kEntryKindWords[static_cast<std::size_t>(kind)];
}

/// A word nobody knows becomes the first one: then the checksum is wrong.
sched::EntryKind kind_of(std::string_view word) {
  const auto* const found = std::ranges::find(sched::raft::kEntryKindWords, word);
  if (found == std::end(sched::raft::kEntryKindWords)) return sched::EntryKind::command;
  return static_cast<sched::EntryKind>(found - std::begin(sched::raft::kEntryKindWords));
}

}  // namespace

void RaftTables::append(sched::GroupId group, std::span<const sched::RaftEntry> entries) {
  for (const auto& entry : entries) queue_.push_back(Append{group, entry});
}

Result<void> RaftTables::write() {
  for (const auto& record : queue_) {
    auto applied = std::visit([&](const auto& put) { return apply(put); }, record);
    if (!applied) return applied;
  }
  return {};
}

Result<void> RaftTables::apply(const PutState& put) {
  const auto group = sched::hex_text(put.state.group);
  const auto replica = sched::hex_text(put.state.replica);
  const auto vote = sched::hex_text(put.state.vote);
  return database_.prepare("insert or replace into raft_state values(?, ?, ?, ?, ?)")
      .bind(std::string_view(group), std::string_view(replica), put.state.term,
          std::string_view(vote), put.state.checksum)
      .run();
}

Result<void> RaftTables::apply(const Append& append) {
  const auto group = sched::hex_text(append.group);
  const auto& entry = append.entry;
  return database_.prepare("insert into raft_log values(?, ?, ?, ?, ?, ?)")
      .bind(std::string_view(group), entry.index, entry.term, word_of(entry.kind), Blob{entry.data},
          entry.checksum)
      .run();
}

Result<void> RaftTables::apply(const Truncate& truncate) {
  const auto group = sched::hex_text(truncate.group);
  return database_.prepare("delete from raft_log where raft_group = ? and entry >= ?")
      .bind(std::string_view(group), truncate.from)
      .run();
}

Result<void> RaftTables::apply(const PutSnapshot& put) {
  const auto group = sched::hex_text(put.group);
  const auto members = sched::encode_members(put.snapshot.members);
  auto replaced =
      database_.prepare("insert or replace into raft_snapshot values(?, ?, ?, ?, ?, ?, ?)")
          .bind(std::string_view(group), put.snapshot.index, put.snapshot.term,
              put.snapshot.configuration_index, Blob{members}, Blob{put.snapshot.data},
              put.snapshot.checksum)
          .run();
  if (!replaced) return replaced;
  return database_.prepare("delete from raft_log where raft_group = ? and entry < ?")
      .bind(std::string_view(group), put.first)
      .run();
}

Result<void> RaftTables::apply(const Forget& forget) {
  const auto group = sched::hex_text(forget.group);
  for (const char* const sql :
      {"delete from raft_state where raft_group = ?", "delete from raft_log where raft_group = ?",
          "delete from raft_snapshot where raft_group = ?"}) {
    auto deleted = database_.prepare(sql).bind(std::string_view(group)).run();
    if (!deleted) return deleted;
  }
  return {};
}

Result<std::vector<sched::StoredRaft>> RaftTables::restore() {
  std::vector<sched::StoredRaft> found;
  {
    auto rows = database_.prepare(
        "select raft_group, replica, term, vote, checksum from raft_state order by raft_group");
    for (;;) {
      auto row = rows.step();
      if (!row) return tl::unexpected(row.error());
      if (!*row) break;
      found.emplace_back().state = {.group = from_hex(rows.text(0)),
          .replica = from_hex(rows.text(1)),
          .term = unsigned_of(rows.number(2)),
          .vote = from_hex(rows.text(3)),
          .checksum = static_cast<std::uint32_t>(rows.number(4))};
    }
  }
  for (auto& stored : found) {
    if (auto done = restore_entries(stored); !done) return tl::unexpected(done.error());
    if (auto done = restore_snapshot(stored); !done) return tl::unexpected(done.error());
  }
  return found;
}

Result<void> RaftTables::restore_entries(sched::StoredRaft& stored) {
  const auto group = sched::hex_text(stored.state.group);
  auto rows = database_.prepare(
      "select entry, term, kind, data, checksum from raft_log where raft_group = ? order by entry");
  rows.bind(std::string_view(group));
  for (;;) {
    auto row = rows.step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) return {};
    stored.entries.push_back({.index = unsigned_of(rows.number(0)),
        .term = unsigned_of(rows.number(1)),
        .kind = kind_of(rows.text(2)),
        .data = std::string(rows.text(3)),
        .checksum = static_cast<std::uint32_t>(rows.number(4))});
  }
}

Result<void> RaftTables::restore_snapshot(sched::StoredRaft& stored) {
  const auto group = sched::hex_text(stored.state.group);
  auto rows = database_.prepare(
      "select entry, term, configuration, members, data, checksum from raft_snapshot "
      "where raft_group = ?");
  auto row = rows.bind(std::string_view(group)).step();
  if (!row) return tl::unexpected(row.error());
  if (!*row) return {};
  stored.snapshot = {.index = unsigned_of(rows.number(0)),
      .term = unsigned_of(rows.number(1)),
      .configuration_index = unsigned_of(rows.number(2)),
      .members = sched::decode_members(rows.text(3)).value_or(std::vector<sched::RaftMember>()),
      .data = std::string(rows.text(4)),
      .checksum = static_cast<std::uint32_t>(rows.number(5))};
  return {};
}

}  // namespace dunlin::node
