// SPDX-License-Identifier: MIT
#include "node/store/raft_store.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "node/store/store_words.h"
#include "node/wall_clock.h"
#include "sched/raft/raft_check.h"
#include "sched/raft/raft_members.h"

// Votes, terms and logs of the groups that this node is a voter of. Raft is safe only if a voter
// forgets nothing that it said; so a group with any damage, or from an older database, is not
// mended here: it is set aside whole, and the node joins again as a new replica, which never said
// anything.
namespace dunlin::node {
namespace {

// SQLite's integers have a sign; the bits are kept.
std::uint64_t unsigned_of(std::int64_t value) {
  return static_cast<std::uint64_t>(value);
}

/// Nothing, if the word is unknown.
std::optional<sched::EntryKind> kind_of(std::string_view word) {
  const auto* const found = std::ranges::find(sched::raft::kEntryKindWords, word);
  if (found == std::end(sched::raft::kEntryKindWords)) return std::nullopt;
  return static_cast<sched::EntryKind>(found - std::begin(sched::raft::kEntryKindWords));
}

}  // namespace

void RaftTables::append(sched::GroupId group, std::span<const sched::RaftEntry> entries) {
  for (const auto& entry : entries) queue(Append{group, entry});
}

Result<void> RaftTables::write() {
  for (const auto& record : writing_) {
    auto applied = std::visit([&](const auto& put) { return apply(put); }, record);
    if (!applied) return applied;
  }
  return {};
}

// Records that failed stay in front of those that came meanwhile: a log is written in its order.
void RaftTables::end_commit(bool done) {
  if (!done) {
    std::ranges::move(queue_, std::back_inserter(writing_));
    queue_.swap(writing_);
  }
  writing_.clear();
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

// Not `or replace`: an entry at an index that is taken means that a truncation was forgotten, and
// must fail here rather than change a log in silence.
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
  // In the same transaction as the snapshot that stands for them.
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

// As it was written, checksums and all: whether it is sound is for sched::verify(), which knows
// what a log must be. Groups that were set aside have longer names.
Result<std::vector<sched::StoredRaft>> RaftTables::restore() {
  std::vector<sched::StoredRaft> found;
  {
    auto rows = database_.prepare(
        "select raft_group, replica, term, vote, checksum from raft_state "
        "where length(raft_group) = 16 order by raft_group");
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
    const auto kind = kind_of(rows.text(2));
    const auto checksum = static_cast<std::uint32_t>(rows.number(4));
    stored.entries.push_back({.index = unsigned_of(rows.number(0)),
        .term = unsigned_of(rows.number(1)),
        .kind = kind.value_or(sched::EntryKind::command),
        .data = std::string(rows.text(3)),
        // An unknown word has no right checksum.
        .checksum = kind ? checksum : ~checksum});
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

/// Rows of a group that has no state: the name of their group was damaged.
Result<bool> RaftTables::has_strays() {
  auto query = database_.prepare(
      "select exists(select 1 from raft_log where length(raft_group) = 16 and raft_group not in "
      "(select raft_group from raft_state)) or exists(select 1 from raft_snapshot where "
      "length(raft_group) = 16 and raft_group not in (select raft_group from raft_state))");
  auto row = query.step();
  if (!row) return tl::unexpected(row.error());
  return query.number(0) != 0;
}

// An operator may still look at it; no group of that name is ever read.
Result<void> RaftTables::set_aside(sched::GroupId group) {
  const auto name = sched::hex_text(group);
  const auto aside = name + "-damaged-" + std::to_string(unix_seconds());
  for (const char* const sql : {"update raft_state set raft_group = ?2 where raft_group = ?1",
           "update raft_log set raft_group = ?2 where raft_group = ?1",
           "update raft_snapshot set raft_group = ?2 where raft_group = ?1"}) {
    auto done = database_.prepare(sql).bind(std::string_view(name), std::string_view(aside)).run();
    if (!done) return done;
  }
  return {};
}

// A group is taken whole or not at all: a replica with the half of its log would vote, and might
// vote against what it has said.
Result<std::vector<std::string>> RaftTables::set_damaged_aside(bool outdated) {
  std::vector<std::string> damage;
  const auto strays = has_strays();
  if (!strays) return tl::unexpected(strays.error());
  const auto groups = restore();
  if (!groups) return tl::unexpected(groups.error());
  for (const sched::StoredRaft& group : *groups) {
    const auto sound = sched::verify(group);
    // The owner of stray rows is not known, and a replica that forgot the end of its log breaks its
    // word.
    if (sound && !*strays && !outdated) continue;
    const std::string why = !sound ? sound.error().text
        : *strays                  ? "rows without a group are somebody's"
                                   : "they are older than what this node said since";
    const auto name = sched::hex_text(group.state.group);
    damage.push_back("the books of cell " + name +
        ", which are set aside: this node becomes a new replica (" + why + ")");
    if (auto done = set_aside(group.state.group); !done) return tl::unexpected(done.error());
  }
  if (!*strays) return damage;
  const auto when = unix_seconds();
  for (const char* const sql : {"update raft_log set raft_group = raft_group || '-stray-' || ? "
                                "where length(raft_group) = 16",
           "update raft_snapshot set raft_group = raft_group || '-stray-' || ? "
           "where length(raft_group) = 16"}) {
    if (auto done = database_.prepare(sql).bind(when).run(); !done) {
      return tl::unexpected(done.error());
    }
  }
  return damage;
}

}  // namespace dunlin::node
