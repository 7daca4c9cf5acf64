// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "sched/cell/cell_hints.h"
#include "sched/cell/cell_turn.h"
#include "sched/cell/sharing_params.h"
#include "sched/cell/transfer_desk.h"
#include "sched/cell/voter_choice.h"
#include "sched/ledger/cell_books.h"
#include "sched/raft/raft_group.h"
#include "sched/sharing/sharing_plan.h"
#include "sched/sharing/transfer.h"

namespace dunlin::sched {

/// One term of office of a cell's manager: what the leader of its Raft group does beyond keeping
/// the log. Nothing in it must survive: the next manager begins with the books, and with reports as
/// they come. It acts by proposing commands; members hear of nothing that is not committed.
class CellManager {
 public:
  CellManager(
      const SharingParams& params, const Endpoint& self, Time now, const LeaderContext& context);

  /// The period's work, if it is due.
  void wake(const CellTurn& turn, const LeaderContext& context, const CellHints& hints);
  void renew(const CellTurn& turn,
      const LeaderContext& context,
      const Endpoint& from,
      const cell::MemberReport& renew);
  void enlisted(const CellTurn& turn,
      const LeaderContext& context,
      const Endpoint& from,
      const cell::Enlisted& enlisted);
  void set_classes(
      const CellTurn& turn, const LeaderContext& context, const books::Classes& classes);
  void order(const CellTurn& turn, const LeaderContext& context, const cell::Order& order);
  void offer(const CellTurn& turn,
      const LeaderContext& context,
      const Endpoint& from,
      const cell::SavingsOffer& offer);
  /// False if that node was not asked for one.
  bool verdict(const CellTurn& turn,
      const LeaderContext& context,
      PeerId from,
      const cell::Verdict& verdict);
  void set_parent(
      const CellTurn& turn, const LeaderContext& context, const books::SetParent& parent);
  /// What became of a proposal.
  void done(const CellTurn& turn, const LeaderContext& context, const Resolution& outcome);

  /// From the parent: what each class is to have of this cell. Empty: the class table says it.
  void set_weights(std::span<const cell::Grant> weights);

  /// A replica wants to keep these books no longer. Another takes its place first, if there is one.
  void resign(Time now, ReplicaId replica) { resigned_[replica] = now; }
  /// True if a member on another node could keep these books, or as long as that is not known.
  bool has_successor(const CellBooks& books, Time now) const;
  /// Lets the cell end, and its savings go to another one.
  void dissolve(const CellTurn& turn, const LeaderContext& context, CellId into);
  /// Says in these books that a cell is lost with all its replicas: what is under way to it comes
  /// back. With `reissue`, what it had in net from here is issued again, by the shares of classes.
  /// Fails (`refused`) if it is a member here, or was heard of within a lease, and (`usage`) if it
  /// is this one. Done already, it changes nothing.
  Result<void> write_off(const CellTurn& turn,
      const LeaderContext& context,
      const CellHints& hints,
      CellId lost,
      bool reissue);
  /// Others wrote this cell off: it ends, with all that is in its books.
  void annul(const CellTurn& turn, const LeaderContext& context, CellId by);

  Epoch epoch() const { return epoch_; }
  Time deadline() const { return next_; }
  cell::Hint hint(const LeaderContext& context);
  /// For a member more.
  bool has_room(const LeaderContext& context) const;
  /// What all members used together, for the parent.
  std::vector<books::Use> uses(const LeaderContext& context) const;
  /// What the last period allocated.
  std::uint64_t allocations() const { return allocations_; }

 private:
  struct Member {
    Time heard{};
    std::uint64_t sequence = 0;
    Endpoint from;
    cell::MemberReport report;
    bool reported = false;  ///< Since the last allocation that counted it.
  };

  Time stamp(Time now) const { return office_began_ + (now - began_); }
  std::uint64_t propose(
      const CellTurn& turn, const LeaderContext& context, const std::string& bytes);
  std::uint64_t propose_command(
      const CellTurn& turn, const LeaderContext& context, books::Action action);
  std::uint64_t propose_change(
      const CellTurn& turn, const LeaderContext& context, const books::Change& change);

  TransferDesk::Propose proposer(const CellTurn& turn, const LeaderContext& context);
  std::size_t size_max(const LeaderContext& context) const;
  void turn_away(const CellTurn& turn,
      const LeaderContext& context,
      const Endpoint& from,
      const cell::MemberReport& renew);
  void admit(const CellTurn& turn, const LeaderContext& context, const cell::MemberReport& renew);
  cell::Standing standing_of(const LeaderContext& context, PeerId member) const;
  void answer(const CellTurn& turn, const LeaderContext& context, PeerId member);
  std::vector<books::Contact> contacts(const LeaderContext& context) const;
  void evict(const CellTurn& turn, const LeaderContext& context);
  void look_for_lost(const CellTurn& turn, const LeaderContext& context, const CellHints& hints);
  bool all_spoke(const LeaderContext& context) const;
  bool has_resigned(ReplicaId replica, Time now) const;
  void consider_merging(const CellTurn& turn, const LeaderContext& context, const CellHints& hints);
  void wind_up(const CellTurn& turn, const LeaderContext& context, const CellHints& hints);
  void change_voters(const CellTurn& turn, const LeaderContext& context);
  void follow(const CellTurn& turn,
      RaftGroup& group,
      const VoterStep& step,
      const std::map<PeerId, const Member*>& speakers);
  void allocate(const CellTurn& turn, const LeaderContext& context);
  void order_transfers(const CellTurn& turn, const LeaderContext& context);
  std::vector<PeerId> reporting(const LeaderContext& context) const;
  SharingInput input(const LeaderContext& context, std::span<const PeerId> nodes) const;
  Tickets weight_of(const books::Class& each) const;

  const SharingParams* params_;
  Endpoint self_;
  Epoch epoch_;
  Time began_;
  Time office_began_;  ///< By the books' clock.
  Time next_;
  std::map<PeerId, Member> members_;
  std::uint64_t proposal_ = 0;
  std::map<std::uint64_t, PeerId> admissions_;  ///< Of proposals under way.
  std::uint64_t allocation_ = 0;                ///< The proposal under way, or 0.
  std::uint64_t rounds_ = 0;
  std::uint64_t allocations_ = 0;
  std::uint64_t stamp_ = 0;
  std::uint64_t orders_ = 0;
  std::uint16_t too_small_ = 0;
  VoterChoice voters_;
  std::map<ReplicaId, Time> silent_;             ///< Voters that are no members, and since when.
  std::uint16_t spare_rounds_ = 0;               ///< That a new replica has not reported itself.
  std::map<ReplicaId, Time> resigned_;           ///< When they last said so.
  std::map<std::uint64_t, CellId> writing_off_;  ///< By proposal.
  std::vector<cell::Grant> weights_;
  TransferDesk desk_;
};

}  // namespace dunlin::sched
