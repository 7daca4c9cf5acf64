// SPDX-License-Identifier: MIT
#include "sched/replica/entry.h"

namespace dunlin::sched::replica {

bool apply(Entry& entry, const ChangeSet& change, const Rules& rules) {
  if (entry.moved_to) return false;
  const bool stale = rules.version_in_changes && change.version != entry.version;
  // The epoch is economy: each takeover raises the version, too.
  if (stale || change.epoch != entry.epoch || !has(change.set, entry.home.replica)) return false;
  entry.set = change.set;
  ++entry.version;
  return true;
}

bool apply(Entry& entry, const TakeOver& claim, const Rules& rules) {
  if (entry.moved_to || claim.epoch != entry.epoch) return false;
  if (rules.claimants_in_sync && !has(entry.set, claim.claimant.replica)) return false;
  ++entry.epoch;
  ++entry.version;
  entry.home = claim.claimant;
  // The old home stays in the set. It may have told what no other living copy has yet, and only a
  // home that has all of it may say which are in sync.
  if (!rules.takeover_keeps_set) entry.set = {claim.claimant};
  if (!has(entry.set, claim.claimant.replica)) entry.set.push_back(claim.claimant);
  return true;
}

// Those of the old set may have more. They are no members any more, so what they have beyond the
// claimant's copy goes when they follow it.
bool apply(Entry& entry, const Lose& lose) {
  if (entry.moved_to || lose.epoch != entry.epoch) return false;
  ++entry.epoch;
  ++entry.version;
  entry.home = lose.claimant;
  entry.set = {lose.claimant};
  return true;
}

// Two books would each let a standby take over, in one and the same epoch, if these went on. They
// never take it back: a late word may have made it valid there.
bool apply(Entry& entry, const Freeze& freeze, const Rules& rules) {
  if (entry.moved_to || !freeze.to) return false;
  ++entry.version;
  if (rules.move_freezes_first) entry.moved_to = freeze.to;
  return true;
}

bool accept(Entry& entry, const Entry& moved) {
  if (moved.version <= entry.version) return false;
  entry = moved;
  entry.moved_to = {};
  return true;
}

}  // namespace dunlin::sched::replica
