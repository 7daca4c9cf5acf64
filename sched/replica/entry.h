// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sched/replica/log.h"
#include "sched/replica/rules.h"

namespace dunlin::sched::replica {

/// A replica, and the node that holds it.
struct Member {
  ReplicaId replica;
  Endpoint node;
  friend bool operator==(const Member&, const Member&) = default;
};
using Set = std::vector<Member>;

inline bool has(const Set& set, ReplicaId replica) {
  return std::ranges::find(set, replica, &Member::replica) != set.end();
}

/// What the books of a cell say of a log: which node drives it, and which are in sync. Only
/// outcomes of the commands below decide; whatever else is known of it is a hint.
struct Entry {
  std::uint32_t epoch = 0;
  std::uint64_t version = 0;
  Member home;
  Set set;            ///< The home is in it.
  CellId moved_to{};  ///< These books have given it to those of another cell; 0: they have not.
  friend bool operator==(const Entry&, const Entry&) = default;
};

/// The home wants another set.
struct ChangeSet {
  std::uint32_t epoch = 0;
  std::uint64_t version = 0;
  Set set;
  friend bool operator==(const ChangeSet&, const ChangeSet&) = default;
};

/// A standby wants to be the home.
struct TakeOver {
  std::uint32_t epoch = 0;
  Member claimant;
  bool handed_over = false;  ///< The home asked for it: the books need not wait until they miss it.
};

/// An administrator gives up the set of the log, and with it what it alone has.
struct Lose {
  std::uint32_t epoch = 0;
  Member claimant;  ///< Goes on alone with what its copy has.
};

/// The cell of the books is about to end: the books of another one are to have the entry.
struct Freeze {
  CellId to;
};

/// Each says if the command was applied; else the entry is as it was. None changes an entry that
/// has moved.
bool apply(Entry& entry, const ChangeSet& change, const Rules& rules = {});
bool apply(Entry& entry, const TakeOver& claim, const Rules& rules = {});
bool apply(Entry& entry, const Lose& lose);
bool apply(Entry& entry, const Freeze& freeze, const Rules& rules = {});
/// The books of another cell have frozen `moved` for these, which have `entry`: none at all, with
/// version 0, or one of an earlier time. False if it is no news.
bool accept(Entry& entry, const Entry& moved);

}  // namespace dunlin::sched::replica
