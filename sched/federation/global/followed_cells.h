// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include "sched/cell/cell_walk.h"
#include "sched/federation/global_view.h"
#include "sched/federation/masters_turn.h"
#include "sched/federation/params.h"

namespace dunlin::sched::federation {

/// The local masters that send rows for the view of a global master. Every heartbeat it walks the
/// tree of cells and attaches to each manager on the way. So it finds all local masters, renews its
/// leases, and receives the rows that it missed.
class FollowedCells {
 public:
  /// `params` outlives it. `incarnation` is the global master's.
  FollowedCells(const FederationParams& params, std::uint32_t incarnation)
      : params_(params),
        incarnation_(incarnation) {}

  /// Walks on, or begins a walk, if it is time: from the cells that this node manages or is a
  /// member of, from others that it knows, and from those that it follows already.
  void follow(const MastersTurn& turn,
      const GlobalView& view,
      std::span<const ManagerPlace> own,
      std::span<const ManagerPlace> known);
  void receive(const MastersTurn& turn,
      const Endpoint& from,
      const Attached& answer,
      const GlobalView& view);
  /// `from` told rows of the cell as its local master.
  void heard(const Endpoint& from, CellId cell, std::uint64_t epoch);
  /// Some news of the cell were missed: asks for them now.
  void catch_up(const MastersTurn& turn, CellId cell, const GlobalView& view);
  /// The local master of the cell is not to be found.
  void forget(CellId cell) { masters_.erase(cell); }
  /// One of them was lost: looks for its successor now.
  void hurry(Time now) {
    next_ = std::min(next_, now);
    hurries_ = true;
  }
  /// Says good-bye to all.
  void leave(const MastersTurn& turn);

  /// Where the local master of a cell is; empty if it is not known.
  std::optional<Endpoint> master_of(CellId cell) const;
  std::size_t size() const { return masters_.size(); }
  Time deadline() const { return walk_ ? walk_->due() : next_; }

 private:
  struct Master {
    Endpoint where;
    std::uint64_t epoch = 0;
    Time caught_up = Time::min();  ///< When news that were missed were last asked for.
  };

  void advance(const MastersTurn& turn, const GlobalView& view);
  Attach attach(PeerId node, std::uint64_t request, const GlobalView& view) const;

  const FederationParams& params_;
  std::uint32_t incarnation_;
  std::map<CellId, Master> masters_;
  std::optional<CellWalk> walk_;
  std::uint64_t walks_ = 0;
  bool hurries_ = false;
  Time next_{};
};

}  // namespace dunlin::sched::federation
