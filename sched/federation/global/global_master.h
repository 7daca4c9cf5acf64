// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "sched/federation/global/followed_cells.h"
#include "sched/federation/global/launches.h"
#include "sched/federation/global_view.h"
#include "sched/federation/masters_turn.h"
#include "sched/federation/params.h"
#include "sched/federation/view_census.h"

namespace dunlin::sched::federation {

/// A frontend as a global master: it follows the rows of all local masters, matches tasks with
/// them, and launches. It keeps nothing that must survive: its view comes with the answers of local
/// masters. Source: Megha, section IV.
class GlobalMaster {
 public:
  struct Counts {
    std::uint64_t matches = 0;
    std::uint64_t misses = 0;  ///< Times that no node had room.
    std::uint64_t placed = 0;
    std::uint64_t refused = 0;  ///< Inconsistencies that were not repaired.
    std::uint64_t lost = 0;
    std::uint64_t preempting = 0;  ///< Launches that were to stop tasks of other classes.
    std::uint64_t borrowed = 0;    ///< Launches at nodes of other partitions.
  };

  /// `params` outlives it; `self` is its node. Numbers of launches begin with the incarnation.
  GlobalMaster(const FederationParams& params, PeerId self, std::uint32_t incarnation);

  /// See FollowedCells::follow(). Call it at deadline().
  void follow(const MastersTurn& turn,
      std::span<const ManagerPlace> own,
      std::span<const ManagerPlace> known);
  void receive(const MastersTurn& turn, const Endpoint& from, const Attached& answer);
  /// True if rows were learned: what had no match may have one.
  bool receive(const MastersTurn& turn, const Endpoint& from, const CellView& view);
  std::vector<LaunchOutcome> receive(
      const MastersTurn& turn, const Endpoint& from, const LaunchReply& reply);

  /// Where such a task could start, as is believed; empty if nowhere. Asked again, it may be
  /// another place.
  std::optional<Place> match(
      const MastersTurn& turn, const Resources& demand, std::span<const Constraint> constraints);
  /// The cells where so many such tasks could start at once, and how many in each; empty if there
  /// is no room for all of them.
  std::map<CellId, std::uint32_t> match_all(const MastersTurn& turn,
      const Resources& demand,
      std::span<const Constraint> constraints,
      std::uint32_t tasks);
  /// The same of cells that could hold them if nothing ran there, by CPU and memory alone.
  std::map<CellId, std::uint32_t> spread(
      Time now, const Resources& demand, std::uint32_t tasks) const;
  /// A task goes there: the room counts as taken. Returns the target of its launch.
  LaunchTarget take(const Place& place, const Resources& demand);
  /// Sends a launch to the cell, in the epoch that the places were matched in. With `member`, to
  /// that one of it, which all its targets name, if it is known where that is.
  void launch(const MastersTurn& turn,
      CellId cell,
      LaunchTasks launch,
      std::optional<PeerId> member = std::nullopt);
  /// Tells the local master of the cell that the group waits there, or, without tasks, does not.
  void park(const MastersTurn& turn, CellId cell, const Reserve& group);
  /// What classes hold of all cells. Valid until the view changes.
  std::vector<CellStanding> standings(Time now) const {
    return view_.standings(now - params_.stale_max);
  }
  /// What a match for such a task looks at now.
  ViewCensus census(
      Time now, const Resources& demand, std::span<const Constraint> constraints) const {
    return census_of(view_, demand, constraints, now - params_.stale_max);
  }
  /// The cells that are matched: their local masters were heard of not long ago.
  std::vector<CellId> matched_cells(Time now) const;
  /// Sends again what is not answered. Returns what is lost.
  std::vector<LaunchOutcome> wake(const MastersTurn& turn);
  /// It has no tasks any more.
  void leave(const MastersTurn& turn);

  /// When follow() should be called next, and when wake().
  Time follow_at() const { return cells_.deadline(); }
  Time wake_at() const { return launches_.deadline(); }

  const GlobalView& view() const { return view_; }
  const FollowedCells& cells() const { return cells_; }
  const Counts& counts() const { return counts_; }
  /// Launches without an answer.
  std::size_t under_way() const { return launches_.size(); }
  /// The bytes of their work.
  std::size_t bytes_under_way() const { return launches_.bytes(); }

 private:
  void count(const LaunchOutcome& outcome);

  const FederationParams& params_;
  std::uint32_t incarnation_;
  GlobalView view_;
  FollowedCells cells_;
  Launches launches_;
  std::uint64_t words_ = 0;  ///< On what is parked.
  Counts counts_;
};

}  // namespace dunlin::sched::federation
