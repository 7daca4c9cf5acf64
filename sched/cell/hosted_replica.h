// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <utility>

#include "sched/cell/cell_member.h"
#include "sched/cell/manager/cell_manager.h"
#include "sched/ledger/cell_books.h"
#include "sched/raft/raft_group.h"

namespace dunlin::sched {

/// A replica of a cell's books that a node hosts, with the manager of the cell while the replica
/// leads its group.
struct HostedReplica {
  HostedReplica(RaftGroup replica, Time now) : group(std::move(replica)), made(now), alone(now) {}

  CellId cell() const { return CellId{group.group()}; }
  std::uint8_t level() const { return level_of(cell()); }
  const CellBooks& books() const { return static_cast<const CellBooks&>(group.machine()); }
  /// The things that its manager works on, while this node leads the group.
  LeaderContext context(const CellHints& hints) {
    return {group, books(), hints, above ? &*above : nullptr};
  }

  RaftGroup group;
  std::optional<CellManager> manager;  ///< While this node is the manager.
  std::optional<CellMember> above;     ///< The cell as a member of its parent: for its manager.
  Time made;
  Time alone;                  ///< When there last was no other cell of its level.
  std::optional<Time> closed;  ///< When the books were seen to be closed.
  Time resign{};               ///< When to ask again to be discharged, or to let another lead.
  bool excused = false;        ///< Its vote counts yet, but the manager said that its node may go.
};

}  // namespace dunlin::sched
