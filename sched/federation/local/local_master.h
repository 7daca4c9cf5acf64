// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sched/federation/local/attached_master.h"
#include "sched/federation/local/cell_shares.h"
#include "sched/federation/local/member_table.h"
#include "sched/federation/local/offers.h"
#include "sched/federation/local/roll.h"
#include "sched/federation/local/starts.h"
#include "sched/federation/masters_turn.h"
#include "sched/federation/params.h"
#include "sched/worker/params.h"

namespace dunlin::sched::federation {

/// The manager of a cell of nodes as the local master of its members, for one epoch: it knows their
/// rows, verifies what global masters launch, and tells them what has changed. Nothing of it must
/// survive: the next one calls the roll, and what this one has sent to members is lost to global
/// masters only if it was never answered.
///
/// It never sends an attempt of a task to a second member unless the first declined it, and a
/// launch that comes twice gets the same answer. Source: Megha, section IV.
class LocalMaster {
 public:
  /// Messages that it dropped: `strangers` from nodes that are neither attached nor members,
  /// `epochs` for another epoch.
  struct Ignored {
    std::uint64_t strangers = 0;
    std::uint64_t epochs = 0;
  };

  /// `params` outlives it. Tasks that are parked wait in the order of workers with `worker`. If it
  /// is not the first one of the epoch, numbers up to `number_last` were given.
  LocalMaster(const FederationParams& params,
      CellId cell,
      std::uint64_t epoch,
      const WorkerParams& worker = {},
      std::uint64_t number_last = 0);

  CellId cell() const { return cell_; }
  std::uint64_t epoch() const { return epoch_; }
  /// The last number given to a start, an offer or a version of the rows. Members remember how they
  /// answered those of an epoch, and global masters which versions they have seen.
  std::uint64_t number_last() const { return std::max(start_last_, table_.version()); }
  /// Sets the members, as the books have them.
  void set_members(std::span<const Endpoint> members);

  /// A global master attaches, or renews its lease. `known` is the version of the rows that it has;
  /// nullptr: it has none.
  void receive(
      const MastersTurn& turn, const Endpoint& from, const Attach& attach, const KnownView* known);
  /// `declined_by`: a member to which the launch went first, and which cannot start it.
  void receive(const MastersTurn& turn,
      const Endpoint& from,
      const LaunchTasks& launch,
      std::optional<PeerId> declined_by = std::nullopt);
  /// A member cannot start what a global master has sent it.
  void receive(const MastersTurn& turn, const Endpoint& from, const PassedLaunch& passed);
  void receive(const MastersTurn& turn, const Endpoint& from, const Park& parked);
  void receive(const MastersTurn& turn, const Endpoint& from, const MemberRow& row);

  /// Gossip says that the node is dead. Its next row says that it is not.
  void on_down(Time now, PeerId node);
  void wake(const MastersTurn& turn);
  Time deadline() const;

  const MemberTable& members() const { return table_; }
  /// When the member was heard of that has been silent for longest; empty before the first row.
  std::optional<Time> oldest_word() const { return roll_.oldest_word(); }
  const std::map<PeerId, AttachedMaster>& masters() const { return masters_; }
  const Offers& offers() const { return offers_; }
  /// The class table sets the shares of classes.
  CellShares& shares() { return shares_; }
  /// What became of all launches here, also those of global masters that have left.
  LaunchCounts launch_counts() const;
  const Ignored& ignored() const { return ignored_; }

 private:
  using Verdicts = std::vector<LaunchVerdict>;

  Offers::Members offered_members() { return {table_, roll_, born_, start_last_}; }
  Starts::Members started_members() { return {table_, shares_, born_, start_last_}; }
  AttachedMaster* attach(Time now, const Endpoint& from, std::uint32_t incarnation);
  void detach(PeerId master);
  /// `begun`: see MemberTable::continued().
  CellView view(const AttachedMaster& master, std::uint64_t from, std::uint64_t begun) const;
  void tell(const MastersTurn& turn, AttachedMaster& master);
  void call_roll(const MastersTurn& turn);
  void note_shape(Time now);

  // The rest is in local_launches.cc.
  void on_answer(const MastersTurn& turn,
      const Endpoint& from,
      std::uint32_t incarnation,
      const StartAnswer& answer,
      std::map<PeerId, Verdicts>& verdicts);
  void reply(const MastersTurn& turn, AttachedMaster& master, Verdicts verdicts);

  const FederationParams& params_;
  CellId cell_;
  std::uint64_t epoch_;
  MemberTable table_;
  Roll roll_;
  Offers offers_;
  CellShares shares_;
  std::map<PeerId, AttachedMaster> masters_;
  Starts starts_;
  std::uint64_t start_last_;
  std::map<PeerId, std::uint32_t> born_;  ///< The process of each member, by its rows.
  std::uint64_t told_shape_ = 0;
  Time tell_at_ = kNever;
  Time news_at_ = kNever;
  LaunchCounts of_gone_;
  Ignored ignored_;
};

}  // namespace dunlin::sched::federation
