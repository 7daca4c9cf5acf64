// SPDX-License-Identifier: MIT
#include "sched/ledger/codec_books.h"

#include "overlay/packed.h"
#include "sched/ledger/books.plain.h"

// The limit of a state is generous (64 MiB), because a cell must be able to read whatever it wrote.
// The limit of a command is that of an entry in the log: a message of Raft must hold it.
namespace dunlin::sched::books {
namespace {

constexpr plain::Limits kCommandLimits{.packed_max = kCommandMax, .unpacked_max = 4 * kCommandMax};
constexpr plain::Limits kStateLimits{.packed_max = kStateMax, .unpacked_max = 4 * kStateMax};

}  // namespace

void encode(const Command& command, std::string& out) {
  plain::pack<wire::Command>(command, kCommandLimits, out);
}

void encode(const State& state, std::string& out) {
  plain::pack<wire::State>(state, kStateLimits, out);
}

Result<Command> decode_command(std::span<const std::byte> bytes) {
  if (auto command = plain::unpack<wire::Command, Command>(bytes, kCommandLimits)) return *command;
  return failure(ErrorKind::corrupt,
      "a command of " + std::to_string(bytes.size()) +
          " bytes is malformed, or of a newer Dunlin: update this node, or let it fetch the log "
          "from "
          "another voter");
}

Result<State> decode_state(std::span<const std::byte> bytes) {
  if (auto state = plain::unpack<wire::State, State>(bytes, kStateLimits)) return std::move(*state);
  return failure(
      ErrorKind::corrupt, "the books of " + std::to_string(bytes.size()) + " bytes are malformed");
}

}  // namespace dunlin::sched::books
