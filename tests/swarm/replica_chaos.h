// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "sched/replica/rules.h"

namespace dunlin::test::replicated {

/// What came of one run of run_replica_chaos().
struct ReplicaVerdict {
  std::string failure;  ///< Empty: nothing that was told was lost, and one home acted per epoch.
  std::uint64_t steps = 0;
  std::uint64_t told = 0;       ///< Words that left.
  std::uint64_t takeovers = 0;  ///< Applied by the books.
  std::uint64_t changes = 0;    ///< Of sets, applied.
  std::uint64_t moves = 0;      ///< Of the entry, accepted by other books.
  std::uint64_t kills = 0;
  std::uint64_t disks = 0;  ///< Lost for good.
  std::uint64_t cuts = 0;
  std::uint64_t truncated = 0;  ///< Batches that a standby dropped.
  bool settled = false;         ///< After healing, a home told all that it holds.
  std::uint64_t hash = 0;
};

/// Four nodes and one log, drawn from `seed`: the nodes are killed, lose their disks, are cut off
/// from each other and from the books; the entry of the log moves between the books of two cells;
/// disks are slow, messages are lost, doubled and late.
///
/// After each step, the durable log of each member of the books' set holds all that was told, in
/// the order in which it was told; each epoch has one home; one stamp and position have one
/// content. A disk is lost only where another member of the set has one.
ReplicaVerdict run_replica_chaos(std::uint64_t seed, const sched::replica::Rules& rules = {});

}  // namespace dunlin::test::replicated
