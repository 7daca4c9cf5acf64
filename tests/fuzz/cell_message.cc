// SPDX-License-Identifier: MIT
#include "sched/cell/codec.h"
#include "sched/cell/rpc_port.h"
#include "sched/raft/raft_check.h"
#include "sched/raft/snapshot_pieces.h"
#include "tests/fuzz/message_fuzz.h"

namespace dunlin::fuzz {
namespace {

void run_cell_message(const std::uint8_t* data, std::size_t size) {
  const auto decode = [](auto bytes) { return sched::cell::decode(bytes); };
  const auto message = decode(bytes_of(data, size));
  expect_round_trip(message, decode);
  if (!message) return;
  // A replica does this with a message before libraft sees it.
  const auto rpc = sched::rpc_of(*message);
  if (!rpc || !sched::plausible(*rpc)) return;
  const auto* const piece = std::get_if<sched::raft::InstallSnapshot>(&*rpc);
  if (piece != nullptr) (void)sched::SnapshotPieces().add(7, *piece);
}

std::size_t mutate_cell_message(
    std::uint8_t* data, std::size_t size, std::size_t size_max, unsigned seed) {
  return mutate_message<sched::cell::Message>(data, size, size_max, seed);
}

const Registered kCellMessage(
    {.name = "cell_message", .run = run_cell_message, .mutate = mutate_cell_message});

}  // namespace
}  // namespace dunlin::fuzz
