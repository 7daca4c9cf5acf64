// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "sched/cell/cell_needs.h"
#include "sched/host.h"

namespace dunlin::sched {

class CellNode;
struct PeerParts;
struct StoredRaft;

/// The part of a peer in sharing, as drivers and the peer's other parts see it: CellNode is behind
/// it. Peer::sharing() hands it out for one call: it must not outlive the peer, which must not be
/// moved meanwhile.
///
/// Sharing sleeps until something needs cells (CellNeed): a class table or need() here, gossip of
/// them from elsewhere, or cell.form = always. From then on the node is a member of a cell, may
/// keep books and may manage cells; after each call its worker gets the tickets that classes have
/// here. With cell.sharing = none it sleeps for ever.
class Sharing {
 public:
  explicit Sharing(PeerParts& parts) : parts_(parts) {}

  /// Goes on with the books of cells that an earlier incarnation kept. Before the first wake()
  /// only. Fails (`corrupt`) if some are damaged: the others go on.
  Result<void> restore_books(const Host& host, std::vector<StoredRaft> replicas);
  /// Wakes CellNode if it is due.
  void wake(const Host& host);
  void receive(const Host& host, const Endpoint& from, const cell::Message& message);

  /// Sets the class table, which then reaches every node. Fails (`usage`) if it makes no sense or
  /// nodes share nothing (cell.sharing = none), (`conflict`) if Peer::classes() has its version.
  Result<void> set_classes(const Host& host, const books::Classes& classes);
  /// Something here needs cells. Fails (`usage`) if there can be none (cell.sharing = none).
  Result<void> need(const Host& host, CellNeed need);
  /// For a driver that puts a whole cluster together, with cells that stand: see CellNode. Both
  /// fail (`usage`) if there can be none (cell.sharing = none).
  Result<cell::Hint> establish(const Host& host);
  Result<void> join(const Host& host, CellId cell, std::span<const cell::Hint> cells);
  /// Declares, for an operator, that cell `lost` is lost for good, in the books of `cell`, which
  /// this node manages. Fails as CellNode::write_off() does.
  Result<void> write_off(const Host& host, CellId cell, CellId lost, bool reissue);

  /// The worker stopped accepting tasks, or accepts them again.
  void drain(const Host& host, bool on);
  /// Begins to hand over what the node manages and keeps for its cells.
  void depart(const Host& host);
  /// True when no cell needs this node any more, or none can be helped.
  bool departed(Time now) const;
  /// Gives grants back at once: the driver stops afterwards.
  void leave(const Host& host);

 private:
  /// Runs `call(turn, cells)`. Then the worker gets the tickets that hold.
  auto in_cells(const Host& host, auto&& call);

  /// Hands the worker what the plan of the cell allots, and asks frontends for what it lacks.
  void follow_plan(const Host& host, CellNode& cells);

  PeerParts& parts_;
};

/// When Sharing::wake() should be called; kNever if the node has no cells.
Time cells_deadline(const PeerParts& parts);

}  // namespace dunlin::sched
