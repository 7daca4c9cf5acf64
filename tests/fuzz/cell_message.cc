// SPDX-License-Identifier: MIT
#include "sched/cell/codec.h"
#include "sched/cell/rpc_port.h"
#include "sched/raft/raft_check.h"
#include "sched/raft/snapshot_pieces.h"
#include "tests/fuzz/message_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto decode = [](auto bytes) { return dunlin::sched::cell::decode(bytes); };
  const auto message = decode(dunlin::fuzz::bytes_of(data, size));
  dunlin::fuzz::expect_round_trip(message, decode);
  // What a replica does with it before libraft sees it.
  if (!message) return 0;
  const auto rpc = dunlin::sched::rpc_of(*message);
  if (!rpc || !dunlin::sched::plausible(*rpc)) return 0;
  const auto* const piece = std::get_if<dunlin::sched::raft::InstallSnapshot>(&*rpc);
  if (piece != nullptr) (void)dunlin::sched::SnapshotPieces().add(7, *piece);
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(
    std::uint8_t* data, std::size_t size, std::size_t size_max, unsigned seed) {
  return dunlin::fuzz::mutate_message<dunlin::sched::cell::Message>(data, size, size_max, seed);
}
