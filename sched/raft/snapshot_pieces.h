// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "sched/raft/raft_store.h"

namespace dunlin::sched {

/// A snapshot as it arrives in pieces, in any order, perhaps over several tries.
class SnapshotPieces {
 public:
  /// Adds a piece. Returns the whole snapshot once its last piece is here; then the next one may
  /// begin. A piece of another snapshot drops what was there. Requires plausible(piece).
  std::optional<RaftSnapshot> add(GroupId group, const raft::InstallSnapshot& piece);

 private:
  RaftSnapshot whole_;  ///< Its data have their full size from the first piece on.
  std::vector<bool> here_;
  std::size_t missing_ = 0;
};

/// The pieces of a snapshot, each with `header`.
std::vector<raft::Rpc> pieces_of(const RaftSnapshot& snapshot, const raft::Header& header);

}  // namespace dunlin::sched
