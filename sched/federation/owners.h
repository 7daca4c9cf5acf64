// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <set>
#include <vector>

#include "sched/kernel.h"

namespace dunlin::sched::federation {

/// Which global master each member of a local master belongs to: the partitions of its cluster.
/// Their union is all members, and none is in two (Megha, section IV-A, eq. 3). Sizes differ by at
/// most one; a master that comes or goes moves no more members than it must.
///
/// All of it follows from the order of the calls: no chance, no clock.
class Owners {
 public:
  /// A member that has another owner now. No owner: no master is attached.
  struct Move {
    PeerId member;
    PeerId owner;
    friend bool operator==(const Move&, const Move&) = default;
  };

  /// A global master attaches. It gets its part from the largest partitions: floor(members /
  /// masters) moves, or all members if it is the first. Nothing if it is attached already.
  std::vector<Move> attach(PeerId master);
  /// A global master left, or its lease ended. Its members go to the smallest partitions.
  std::vector<Move> detach(PeerId master);
  /// A member joined: it goes to the smallest partition.
  std::vector<Move> join(PeerId member);
  /// A member is gone. At most one other moves, to fill its place.
  std::vector<Move> leave(PeerId member);

  /// No owner if no master is attached. Requires a member.
  PeerId owner_of(PeerId member) const { return owner_of_.at(member); }
  bool has_member(PeerId member) const { return owner_of_.contains(member); }
  /// The members of each attached master, none of which need be its own.
  const std::map<PeerId, std::set<PeerId>>& partitions() const { return partitions_; }
  std::size_t members() const { return owner_of_.size(); }

 private:
  using Partition = std::map<PeerId, std::set<PeerId>>::value_type;
  Partition& smallest();
  Partition& largest();
  void give(PeerId member, PeerId owner, std::vector<Move>& moves);

  std::map<PeerId, std::set<PeerId>> partitions_;
  std::map<PeerId, PeerId> owner_of_;
};

}  // namespace dunlin::sched::federation
