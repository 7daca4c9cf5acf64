// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "sched/federation/local/member_table.h"
#include "sched/federation/local/roll.h"
#include "sched/federation/masters_turn.h"
#include "sched/federation/params.h"
#include "sched/task_time.h"
#include "sched/worker/discipline/discipline.h"
#include "sched/worker/queued_reservation.h"

namespace dunlin::sched::federation {

/// The groups of tasks that global masters parked at a local one, because nothing had room for
/// them. Room that comes at a member is offered to the group that a worker would serve first, for
/// exactly that room: the member asks the frontend for tasks, so a task is bound only then. All
/// masters' groups stand in one order, so the freed room of the cell goes to the best of all.
///
/// An offer that is lost costs nothing but the room, until `launch_timeout`.
class Offers {
 public:
  /// Groups that are kept. More of them are not heard.
  static constexpr std::size_t kGroupsMax = 4096;

  /// `params` outlives it. The order is that of workers with `worker`.
  Offers(
      const FederationParams& params, const WorkerParams& worker, CellId cell, std::uint64_t epoch);

  /// The members of the cell, as offers need them. References to parts of the local master.
  struct Members {
    MemberTable& table;
    const Roll& roll;
    const std::map<PeerId, std::uint32_t>& born;
    std::uint64_t& start_last;  ///< Offers and starts are numbered together.
  };

  /// The group waits from now on, and has room offered that there is; or it waits no more, if
  /// `parked` has no tasks.
  void receive(const MastersTurn& turn, const Members& members, PeerId master, const Park& parked);
  /// The global master is gone.
  void forget(PeerId master);
  /// There may be room at the member.
  void offer(const MastersTurn& turn, const Members& members, PeerId node);
  /// A member took an offer, or declined it. False if the number is of none.
  bool settle(MemberTable& table, PeerId node, const StartAnswer& answer);
  /// Gives up what is not answered, and groups that were not heard of for a lease.
  void wake(Time now, MemberTable& table);
  Time deadline() const;
  /// The groups that wait.
  std::size_t size() const;
  /// Those of that global master.
  std::size_t count_of(PeerId master) const;

 private:
  struct Group {
    PeerId master;
    QueuedReservation waiting;
    std::uint64_t word = 0;  ///< The last one of its global master: those that are late count not.
    bool ended = false;      ///< It waits no more. It is kept for words that are late.
    std::uint32_t wanted = 0;  ///< Tasks that no room was offered for.
    Time until{};              ///< Its lease.
    /// Members at which its user has enough, by the version of the row that said so.
    std::map<PeerId, std::uint64_t> crowded{};
  };
  struct UnderWay {
    PeerId node;
    JobId job;
    std::uint16_t group = 0;
    std::uint16_t tasks = 0;
    Time until{};
  };

  Group* find(const JobId& job, std::uint16_t group);
  /// True if the member would only say again that the group's user has enough there.
  static bool is_crowded(const Group& group, const MemberTable& table, PeerId node);
  void send(const MastersTurn& turn, const Members& members, Group& group, PeerId node);

  const FederationParams& params_;
  std::unique_ptr<const Discipline> discipline_;
  MeanTaskTime task_times_;
  CellId cell_;
  std::uint64_t epoch_;
  std::vector<Group> groups_;
  std::map<std::uint64_t, UnderWay> under_way_;  ///< By number.
};

}  // namespace dunlin::sched::federation
