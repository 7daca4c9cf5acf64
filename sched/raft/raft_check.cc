// SPDX-License-Identifier: MIT
#include "sched/raft/raft_check.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <limits>
#include <string_view>
#include <variant>

#include "sched/raft/raft_members.h"

// Raft assumes that a disk returns what was written and that messages come from correct replicas.
// Neither is sure here, so both are checked at the border: each record carries a CRC over its
// content and its place (group, index, term), so that a record in the wrong place is found, too;
// and a log must be whole, from its snapshot or entry 1 to its end.
// A replica that finds damage does not repair it: the majority has the truth, and a node without
// records comes back as a new replica, which cannot vote twice.
// RPCs are held to the bounds that correct code keeps (terms that do not fall, sizes, offsets on
// piece borders), because libraft asserts them and would abort.
namespace dunlin::sched {
namespace {

/// The bound of terms and indexes: far from the end of their range, so that adding one never wraps.
constexpr std::uint64_t kCountMax = std::numeric_limits<std::uint64_t>::max() / 4;

/// CRC-32C (Castagnoli), reflected, one byte at a time.
constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ (value & 1 ? 0x82f63b78u : 0u);
    table[i] = value;
  }
  return table;
}
constexpr auto kTable = make_table();

/// A checksum over fields of a record. A text counts with its length, so that no byte can move from
/// one text to the next unnoticed.
class Crc {
 public:
  Crc& bytes(std::string_view text) {
    number(text.size());
    for (const char byte : text) next(static_cast<unsigned char>(byte));
    return *this;
  }
  Crc& number(std::uint64_t value) {
    for (int shift = 0; shift < 64; shift += 8) next(static_cast<unsigned char>(value >> shift));
    return *this;
  }
  std::uint32_t value() const { return ~value_; }

 private:
  void next(unsigned char byte) { value_ = value_ >> 8 ^ kTable[(value_ ^ byte) & 0xff]; }
  std::uint32_t value_ = ~0u;
};

tl::unexpected<Error> damaged(const StoredRaft& stored, const std::string& what) {
  return failure(ErrorKind::corrupt,
      "raft: the log of group " + hex_text(stored.state.group) + " is damaged: " + what +
          "; it is not used. Delete this group's records here (or move the store away): the node "
          "comes back as a new replica, which the manager adds in place of " +
          hex_text(stored.state.replica));
}

/// A snapshot must be whole, name its members, and meet the entries: a gap between the two would be
/// a hole in the log.
Result<void> verify_snapshot(const StoredRaft& stored) {
  const RaftSnapshot& snapshot = *stored.snapshot;
  const auto name = "the snapshot of entry " + std::to_string(snapshot.index);
  if (snapshot.checksum != checksum_of(stored.state.group, snapshot)) {
    return damaged(stored, name + " has a wrong checksum");
  }
  if (snapshot.index == 0 || snapshot.term == 0 || snapshot.term > stored.state.term) {
    return damaged(stored, name + " has an impossible term");
  }
  if (snapshot.members.empty() || !well_formed(snapshot.members)) {
    return damaged(stored, name + " has impossible members");
  }
  if (stored.entries.empty()) return {};
  const RaftIndex first = stored.entries.front().index;
  const RaftIndex last = stored.entries.back().index;
  if (first > snapshot.index + 1 || last < snapshot.index) {
    return damaged(stored,
        name + " does not meet the entries, " + std::to_string(first) + " to " +
            std::to_string(last));
  }
  if (first > snapshot.index) return {};
  const RaftEntry& same = stored.entries[snapshot.index - first];
  if (same.term == snapshot.term) return {};
  return damaged(stored, name + " is of another term than that entry");
}

/// Entries must have consecutive indexes, and terms that never fall nor exceed the replica's own.
Result<void> verify_entries(const StoredRaft& stored) {
  RaftIndex expected = stored.entries.front().index;
  RaftTerm term = 1;
  for (const RaftEntry& entry : stored.entries) {
    const auto name = "entry " + std::to_string(entry.index);
    if (entry.index != expected) {
      return damaged(stored, "entry " + std::to_string(expected) + " is missing");
    }
    if (entry.checksum != checksum_of(stored.state.group, entry)) {
      return damaged(stored, name + " has a wrong checksum");
    }
    if (entry.term < term || entry.term > stored.state.term) {
      return damaged(stored, name + " has a term that goes backwards, or comes from the future");
    }
    if (entry.kind == EntryKind::change && !decode_members(entry.data)) {
      return damaged(stored, name + " has impossible members");
    }
    term = entry.term;
    ++expected;
  }
  return {};
}

/// Terms in a log never fall, and a leader has no entry of a later term than its own.
bool plausible_entries(const raft::AppendEntries& message) {
  std::size_t size = 0;
  RaftTerm term = message.previous_term;
  for (const raft::Entry& entry : message.entries) {
    size += entry.data.size();
    if (entry.term < term || entry.term == 0 || entry.data.empty()) return false;
    if (entry.kind == EntryKind::change && !decode_members(entry.data)) return false;
    term = entry.term;
  }
  return term <= message.header.term && size <= kRpcDataMax;
}

/// Finds out, for each kind of RPC, if a correct replica could have sent it.
struct Judge {
  bool operator()(const raft::RequestVote& vote) const {
    return vote.last_index < kCountMax && vote.last_term <= vote.header.term;
  }
  bool operator()(const raft::RequestVoteResult&) const { return true; }
  bool operator()(const raft::AppendEntries& append) const {
    const bool first = append.previous_index == 0;
    return append.previous_index < kCountMax && first == (append.previous_term == 0) &&
        append.commit < kCountMax && plausible_entries(append) &&
        // The first entry of every log names the members.
        (!first || append.entries.empty() || append.entries[0].kind == EntryKind::change);
  }
  bool operator()(const raft::AppendEntriesResult& result) const {
    return result.rejected < kCountMax && result.last_index < kCountMax;
  }
  bool operator()(const raft::InstallSnapshot& piece) const {
    return piece.index > 0 && piece.index < kCountMax && piece.term > 0 &&
        piece.term <= piece.header.term && piece.configuration_index > 0 &&
        piece.configuration_index <= piece.index && !piece.members.empty() &&
        well_formed(piece.members) && piece.size > 0 && piece.size <= kSnapshotMax &&
        piece.offset < piece.size && piece.offset % kRpcDataMax == 0 &&
        piece.data.size() == std::min<std::size_t>(kRpcDataMax, piece.size - piece.offset);
  }
  bool operator()(const raft::TimeoutNow& now) const { return now.last_index < kCountMax; }
};

}  // namespace

std::uint32_t checksum_of(const RaftState& state) {
  return Crc()
      .number(state.group)
      .number(state.replica)
      .number(state.term)
      .number(state.vote)
      .value();
}

std::uint32_t checksum_of(GroupId group, const RaftEntry& entry) {
  return Crc()
      .number(group)
      .number(entry.index)
      .number(entry.term)
      .number(static_cast<std::uint64_t>(entry.kind))
      .bytes(entry.data)
      .value();
}

std::uint32_t checksum_of(GroupId group, const RaftSnapshot& snapshot) {
  return Crc()
      .number(group)
      .number(snapshot.index)
      .number(snapshot.term)
      .number(snapshot.configuration_index)
      .bytes(encode_members(snapshot.members))
      .bytes(snapshot.data)
      .value();
}

std::string hex_text(std::uint64_t id) {
  char digits[16];
  const std::string text(digits, std::to_chars(digits, std::end(digits), id, 16).ptr);
  return std::string(sizeof digits - text.size(), '0') + text;
}

Result<void> verify(const StoredRaft& stored) {
  const RaftState& state = stored.state;
  if (state.checksum != checksum_of(state)) {
    return damaged(stored, "its term and vote have a wrong checksum");
  }
  if (state.replica == 0) return damaged(stored, "it has no replica id");
  if (state.term == 0 && (stored.snapshot || !stored.entries.empty())) {
    return damaged(stored, "it has entries and no term");
  }
  if (stored.snapshot) {
    if (auto fine = verify_snapshot(stored); !fine) return fine;
  } else if (!stored.entries.empty()) {
    const RaftEntry& first = stored.entries.front();
    if (first.index != 1) return damaged(stored, "entry 1 is missing, and there is no snapshot");
    if (first.kind != EntryKind::change) return damaged(stored, "entry 1 names no members");
  }
  if (stored.entries.empty()) return {};
  return verify_entries(stored);
}

const raft::Header& header_of(const raft::Rpc& rpc) {
  return std::visit([](const auto& any) -> const raft::Header& { return any.header; }, rpc);
}

bool plausible(const raft::Rpc& rpc) {
  return std::visit(
      [](const auto& any) {
        const raft::Header& header = any.header;
        return header.sender != 0 && header.receiver != 0 && header.sender != header.receiver &&
            header.term > 0 && header.term < kCountMax && Judge()(any);
      },
      rpc);
}

}  // namespace dunlin::sched
