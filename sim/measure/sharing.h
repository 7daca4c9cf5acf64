// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "overlay/time.h"
#include "sched/peer.h"
#include "sim/measure/cell_load.h"

namespace dunlin::sim {

/// How cells are at one moment. All that is a share is a share of the peers alive, or of cells.
struct Sharing {
  double members = 0;   ///< Share that is member of a cell whose books have it, with a manager.
  double granted = 0;   ///< Share on which a manager's grants hold.
  double known = 0;     ///< Share that knows the newest class table.
  double cells = 0;     ///< Of nodes, managed and not about to end ...
  double levels = 0;    ///< ... and levels above each other.
  double trees = 0;     ///< Cells without a parent that stands; 1 is as it should be.
  double replicas = 0;  ///< Of books, at all peers.
  double broken = 0;    ///< 1 if the books of all cells together lost or doubled a ticket.
  /// Since the look before this one: by how much classes missed their shares (half of the sum of
  /// all differences), and the worst of them, relative to its share.
  double deviation = 0;
  double worst_error = 0;
  std::vector<double> shares = {};   ///< Of all that was occupied since then, by class ...
  std::vector<double> desired = {};  ///< ... and as it should be: of those that want anything.
  double busy = 0;                   ///< Share of the CPUs that tasks have.
  double balance = 0;                ///< Jain's index of what peers have busy.
  double busiest_rate = 0;           ///< Cell messages per second of the busiest peer.
  std::string trouble = {};          ///< What was broken first.

  /// One tree with everybody in it, and grants.
  bool settled() const { return trees == 1 && members == 1 && granted == 1; }
};

/// Looks at the cells of all peers; null are those not alive.
Sharing sharing_of(overlay::Time now, std::span<const sched::Peer* const> peers);

/// Who manages each cell of a level, as a place in `peers`. Books that ended keep their manager for
/// a while; nobody would miss it, and it is not among them.
std::map<sched::CellId, std::uint32_t> managers_of(
    std::span<const sched::Peer* const> peers, std::uint16_t level);

}  // namespace dunlin::sim
