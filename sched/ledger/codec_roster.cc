// SPDX-License-Identifier: MIT
#include "sched/ledger/codec_roster.h"

#include "overlay/packed.h"
#include "sched/ledger/roster.plain.h"

namespace dunlin::sched::books {
namespace {

/// Room for the members of a full cell with their addresses, the class table, the contacts of the
/// parent, and all logs with full sets.
constexpr plain::Limits kRosterLimits{.packed_max = 256 << 10, .unpacked_max = 512 << 10};

template <typename Wire, typename Plain>
Result<Plain> unpack(std::span<const std::byte> bytes, const char* what) {
  if (auto read = plain::unpack<Wire, Plain>(bytes, kRosterLimits)) return std::move(*read);
  return failure(ErrorKind::corrupt,
      std::string(what) + " of " + std::to_string(bytes.size()) +
          " bytes is malformed, or of a newer Dunlin: update this node");
}

}  // namespace

void encode(const Change& change, std::string& out) {
  plain::pack<wire::Change>(change, kRosterLimits, out);
}

void encode(const Roster& roster, std::string& out) {
  plain::pack<wire::Roster>(roster, kRosterLimits, out);
}

Result<Change> decode_change(std::span<const std::byte> bytes) {
  return unpack<wire::Change, Change>(bytes, "a change of a cell's roster");
}

Result<Roster> decode_roster(std::span<const std::byte> bytes) {
  return unpack<wire::Roster, Roster>(bytes, "the roster of a cell");
}

}  // namespace dunlin::sched::books
