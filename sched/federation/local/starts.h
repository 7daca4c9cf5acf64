// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "sched/federation/local/attached_master.h"
#include "sched/federation/local/cell_shares.h"
#include "sched/federation/local/member_table.h"
#include "sched/federation/masters_turn.h"
#include "sched/federation/params.h"

namespace dunlin::sched::federation {

/// The starts of launched tasks that are under way at members. For each it finds a member, by the
/// rows as they are now, and keeps which launch the member's answer is for. From then until it is
/// settled, the start counts as taken in the member's row; the shares count what it is to stop.
///
/// A task has one start under way at most, and goes to a second member only after the first one
/// declined it. The caller sends what begins.
class Starts {
 public:
  /// The members of the cell, as starts need them. References to parts of the local master.
  struct Members {
    MemberTable& table;
    CellShares& shares;
    const std::map<PeerId, std::uint32_t>& born;  ///< The process of each, by its rows.
    std::uint64_t& last;  ///< The last number given: starts and offers are numbered together.
  };
  /// The launch that a start belongs to.
  struct Origin {
    PeerId master;
    std::uint64_t number = 0;  ///< Among the launches of that master.
  };

  /// `params` outlives it.
  explicit Starts(const FederationParams& params) : params_(params) {}

  /// Begins a start of the task at the member that is wanted, or at another one that has room, or
  /// at one where the launch may have room made. Without one it stays refused: `launched.start` is
  /// 0 then.
  void begin(const MastersTurn& turn,
      const Members& members,
      AttachedMaster& master,
      Launched& launched,
      std::optional<PeerId> wanted);
  /// The task went straight to a member, which declined it. No start of it was under way here.
  static void note_declined(
      const Owners& owners, AttachedMaster& master, Launched& launched, PeerId by);
  /// The member `at` has started the task. Requires that it was asked to.
  void succeed(const Members& members,
      AttachedMaster& master,
      Launched& launched,
      const Endpoint& at,
      std::uint32_t incarnation);
  /// The member that was asked has declined, because the user has enough there if `crowded`. Begins
  /// a start at another one.
  void decline(const MastersTurn& turn,
      const Members& members,
      AttachedMaster& master,
      Launched& launched,
      bool crowded);

  /// All launches below `floor` are settled: they and their starts are forgotten.
  void forget_below(const Members& members, AttachedMaster& master, std::uint64_t floor);
  /// The global master is gone: no start of its launches is waited for.
  void forget_all(const Members& members, const AttachedMaster& master);

  /// Empty if no start of that number is under way.
  std::optional<Origin> find(std::uint64_t start) const;
  std::size_t size() const { return under_way_.size(); }

 private:
  /// Nothing waits for the start any more; 0: there is none.
  void settle(const Members& members, std::uint64_t start);

  const FederationParams& params_;
  std::map<std::uint64_t, Origin> under_way_;  ///< By number.
};

}  // namespace dunlin::sched::federation
