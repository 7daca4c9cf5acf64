// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "sched/cell/manager/cell_service.h"
#include "sched/cell/manager/membership.h"
#include "sched/cell/manager/voter_choice.h"

namespace dunlin::sched {

/// Keeps the books of a cell on enough good nodes: each period it makes at most one change of the
/// voters, towards what VoterChoice says. A node is first asked to host a replica, then the replica
/// becomes a spare, and a voter once it has the log. A voter that wants to resign is replaced.
class Voters final : public CellService {
 public:
  /// `members` outlives this.
  Voters(const CellParams& params, const Endpoint& self, Time now, const Membership& members);

  void on_period(const LeaderTurn& turn) override;
  Time deadline() const override { return hurry_; }
  void on_deadline(const LeaderTurn& turn) override;
  Handling on_message(
      const LeaderTurn& turn, const Endpoint& from, const cell::Message& message) override;

  /// That replica is to keep these books no longer. Another takes its place first, if there is one.
  /// It holds for a lease: the node says so again while it wants to go.
  void resign(Time now, ReplicaId replica) { resigned_[replica] = now; }
  /// A voter that is there and does not want to go: it may lead next.
  std::optional<ReplicaId> successor(const RaftGroup& group, Time now) const;
  /// True if a node that wants to go still waits for this manager to let it: a member that leaves,
  /// or a voter that was not excused.
  bool holds_back(const RaftGroup& group, Time now) const;

 private:
  /// Members by the node that speaks for each.
  using Speakers = std::map<PeerId, const KnownMember*>;

  Speakers speakers_of(const CellBooks& books) const;
  std::vector<VoterCandidate> candidates(
      const LeaderTurn& turn, std::span<const RaftMember> replicas, const Speakers& speakers);
  VoterCandidate candidate_of(
      PeerId node, const KnownMember& member, Time now, std::span<const RaftMember> replicas) const;
  void follow(const LeaderTurn& turn, const VoterStep& step, const Speakers& speakers);
  /// Makes the next change, if none is under way, and comes back soon if one is.
  void step(const LeaderTurn& turn);
  /// Makes the next change, if one is due. Tells members first what the last one came to.
  void change(const LeaderTurn& turn);
  void add(const LeaderTurn& turn, const KnownMember& speaker);
  /// Makes two spares, and voters of both when both are ready.
  void add_pair(const LeaderTurn& turn, const KnownMember& first, const KnownMember& second);
  /// Asks the node to host a replica, or lets one go that does not report itself. True if its
  /// replica is a spare that does.
  bool is_ready(const LeaderTurn& turn, const KnownMember& speaker);
  /// The number of voters that the logs in the books want.
  std::size_t wanted_by_logs(const CellBooks& books);
  bool has_resigned(ReplicaId replica, Time now) const;
  void enlisted(const LeaderTurn& turn, const Endpoint& from, const cell::Enlisted& enlisted) const;
  void on_resign(const LeaderTurn& turn, const Endpoint& from, const cell::Resign& resign);
  /// The member that this node speaks for, if it was heard lately.
  const KnownMember* heard(PeerId node, Time now) const;
  /// True if a member asked just now to be let go.
  bool is_leaving(Time now) const;
  /// True if a node that wants to stay could keep the books in place of one of the voters.
  bool has_substitute(const LeaderTurn& turn, std::span<const RaftMember> replicas) const;

  const CellParams* params_;
  Endpoint self_;
  Time began_;
  const Membership* members_;
  VoterChoice choice_;
  std::uint64_t rounds_ = 0;
  Time hurry_ = kNever;                 ///< When to look at a change that is under way.
  int looks_ = 0;                       ///< So many in this period.
  std::vector<PeerId> told_;            ///< The voters that members were told of.
  std::map<ReplicaId, Time> silent_;    ///< Voters that are no members, and since when.
  std::map<ReplicaId, Time> resigned_;  ///< When each last said so.
  std::set<ReplicaId> excused_;         ///< Those of them that were told that they may go.
  std::size_t log_voters_ = 1;          ///< As logs wanted it, ...
  int calm_ = 0;                        ///< ... and for so many looks want less.
  std::uint16_t spare_rounds_ = 0;      ///< Periods in which a new spare did not report itself.
};

}  // namespace dunlin::sched
