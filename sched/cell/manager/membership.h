// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "sched/cell/manager/leader_turn.h"
#include "sched/cell/sharing_params.h"

namespace dunlin::sched {

/// A member of a cell, or a node that asks to be one, as it reported itself to the manager.
struct KnownMember {
  Time heard{};  ///< When its last report came; at first, when the epoch began.
  /// That of its last report; empty: it did not report in this epoch.
  std::optional<std::uint64_t> sequence;
  Endpoint from;  ///< The node that speaks for it.
  cell::MemberReport report;
};

/// The members of a cell, as its manager knows them: which there are, when each was last heard of,
/// and what it said. A report renews the lease of its member; the answer is a lease that carries
/// its grants. The services of the manager build on it.
class Membership {
 public:
  /// Every member of the books has a whole lease to find the new manager.
  Membership(const CellParams& params, const Endpoint& self, Time now, const CellBooks& books);

  /// Takes a report and answers it with a lease. Proposes to admit a newcomer if there is room, and
  /// to let a member go that leaves. False if the report is older than one that came before, or if
  /// too many newcomers ask already.
  bool receive(const LeaderTurn& turn, const Endpoint& from, const cell::MemberReport& report);
  /// Proposes that members which were silent for a lease go, and forgets silent newcomers.
  void evict_silent(const LeaderTurn& turn);
  /// Tells a newcomer that it was admitted.
  void on_outcome(const LeaderTurn& turn, const Resolution& outcome);
  /// Sends every member its lease again: its grants changed.
  void answer_all(const LeaderTurn& turn) const;

  /// Every known member, newcomers among them.
  const std::map<MemberId, KnownMember>& all() const { return members_; }
  /// Nullptr if nothing is known of it.
  const KnownMember* find(MemberId member) const;
  /// True if every member of the books reported in this epoch.
  bool all_reported(const CellBooks& books) const;
  /// The number of members that `cell` may have.
  std::size_t size_max(CellId cell) const;
  /// True if one more member may join.
  bool has_room(const CellBooks& books) const;
  /// True if a member on another node could keep these books, or while that is not known.
  bool has_successor(const CellBooks& books, Time now) const;
  /// The use that all members made together: the cell reports it to its parent.
  std::vector<books::Use> uses(const CellBooks& books) const;

 private:
  void follow(const LeaderTurn& turn, const cell::MemberReport& report, const Endpoint& from);
  void admit(const LeaderTurn& turn, const cell::MemberReport& report);
  void turn_away(
      const LeaderTurn& turn, const Endpoint& to, const cell::MemberReport& report) const;
  void answer(const LeaderTurn& turn, MemberId member) const;
  cell::Standing standing_of(const CellBooks& books, MemberId member) const;
  std::vector<books::Contact> contacts(const RaftGroup& group) const;

  const CellParams* params_;
  Endpoint self_;
  Time began_;
  std::map<MemberId, KnownMember> members_;
  std::map<ProposalId, MemberId> admissions_;  ///< Members that proposals under way admit.
};

/// The members with a report that a service has not used yet.
class FreshReports {
 public:
  void note(MemberId member) { fresh_.insert(member); }
  /// The service has used the report of that member.
  void use(MemberId member) { fresh_.erase(member); }
  /// Those members of the books, ascending. A report of what was used under older grants than those
  /// that hold does not count.
  std::vector<MemberId> reporting(const CellBooks& books, const Membership& members);

 private:
  std::set<MemberId> fresh_;
};

/// The member's report on a class; nullptr if it has none.
const books::Use* use_of(const cell::MemberReport& report, ClassId class_id);

/// An amount that another node reported, cut to what an amount can be.
Tickets sound(Tickets reported);

}  // namespace dunlin::sched
