// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "overlay/time.h"
#include "sched/peer.h"
#include "sim/measure/cell_load.h"

namespace dunlin::sim {

/// The state of cells at one moment. Each share is one of the living peers, or of cells.
struct Sharing {
  double members = 0;   ///< Members of a managed cell with books that have them.
  double granted = 0;   ///< Peers on which a manager's grants hold.
  double known = 0;     ///< Peers that know the newest class table.
  double cells = 0;     ///< Cells of nodes, managed and not about to end ...
  double levels = 0;    ///< ... and levels above each other.
  double trees = 0;     ///< Cells without a parent that stands; 1 is as it should be.
  double replicas = 0;  ///< Replicas of books, at all peers.
  double broken = 0;    ///< 1 if the books of all cells together lost or doubled a ticket.
  /// Since the look before this one: half of the sum of all differences between classes and their
  /// shares, and the worst difference, relative to its share.
  double deviation = 0;
  double worst_error = 0;
  std::vector<double> shares = {};   ///< Shares of all that was occupied since then, by class ...
  std::vector<double> desired = {};  ///< ... and as they should be, among classes that want any.
  double busy = 0;                   ///< Share of the CPUs that tasks have.
  double balance = 0;                ///< Jain's index of the busy shares of peers.
  double busiest_rate = 0;           ///< Cell messages per second of the busiest peer.
  std::string trouble = {};          ///< The first fault in the books.

  /// One tree with all peers in it, and grants.
  bool settled() const { return trees == 1 && members == 1 && granted == 1; }
};

/// Examines the cells of all peers. A peer that is not alive is null.
Sharing sharing_of(overlay::Time now, std::span<const sched::Peer* const> peers);

/// The manager of each cell of a level, as an index of `peers`. Books that ended keep their manager
/// for a while; nothing depends on it, so it is left out.
std::map<sched::CellId, std::uint32_t> managers_of(
    std::span<const sched::Peer* const> peers, std::uint16_t level);

/// The fewest voters without which a cell has no majority, as indices of `peers`: its manager,
/// which must be one of them, and then others in the order of its group.
std::set<std::uint32_t> majority_of(
    std::span<const sched::Peer* const> peers, sched::CellId cell, std::uint32_t manager);

}  // namespace dunlin::sim
