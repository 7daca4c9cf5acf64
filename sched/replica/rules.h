// SPDX-License-Identifier: MIT
#pragma once

namespace dunlin::sched::replica {

/// The rules that keep what was promised. A test turns one off and must see a promise broken; all
/// else has them all.
struct Rules {
  bool acks_of_this_life = true;   ///< An acknowledgement counts for its stamp alone.
  bool sets_name_disks = true;     ///< A lost disk is another replica.
  bool shrink_waits = true;        ///< A member that leaves is waited for until the books say so.
  bool gate_is_union = true;       ///< All sets that may stand in the books count.
  bool intents_durable = true;     ///< A proposal is on disk before it is sent.
  bool repeats_gated = true;       ///< What was said before waits as the first word did.
  bool reads_gated = true;         ///< So does what a reader is told.
  bool gate_from_zero = true;      ///< A new office knows of no acknowledgement.
  bool follow_forward = true;      ///< A log does not follow a home of an earlier stamp.
  bool compare_stamps = true;      ///< Logs are compared by stamps, not by their lengths.
  bool version_in_changes = true;  ///< A late proposal changes nothing.
  bool claimants_in_sync = true;   ///< Only a member of the set takes over.
  bool standby_disk_first = true;  ///< A standby acknowledges what is on its disk.
  bool home_disk_counts = true;    ///< The home's own disk is waited for as any other.
  bool joins_caught_up = true;     ///< A new member has all that was told ...
  bool joins_with_past = true;     ///< ... and all that an earlier life may have told.
  bool takeover_keeps_set = true;  ///< A takeover changes the home, not the set.
  bool move_freezes_first = true;  ///< Books that give an entry to others change it no more.
};

}  // namespace dunlin::sched::replica
