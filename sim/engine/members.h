// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "overlay/boxed.h"
#include "overlay/rng.h"
#include "overlay/time.h"
#include "sched/job.h"
#include "sched/ledger/books_types.h"
#include "sched/message.h"
#include "sched/peer.h"

namespace dunlin::sim {

using overlay::Rng;
using overlay::Time;

/// An attempt of a task that runs on a simulated node.
struct Attempt {
  sched::TaskId task;
  std::uint32_t attempt = 1;
  sched::Outcome outcome = sched::Outcome::exited;
  std::uint32_t cpu = 0;
  sched::ClassId class_id = 0;
  Time begin{};                     ///< Later by the time that it stood still.
  Time end{};                       ///< kNever while it stands still.
  Time suspended{overlay::kNever};  ///< It stands still since then; kNever: it runs.
  overlay::Duration left{0};        ///< What it has left to run then.
  std::uint64_t number = 0;         ///< See ResourceMeter; 0 where tasks do not contend.
  std::uint64_t lent = 0;           ///< Likewise what a machine lends to it; 0: nothing.
  std::uint32_t lender = 0;         ///< That machine.
};

/// See Alarms.
struct Alarm {
  Time deadline = overlay::kNever;  ///< When the peer wants to be woken.
  Time due = overlay::kNever;       ///< When its timer fires; kNever if none is pending.
};

/// A peer of a simulation, and all that is its own. There may be a million.
struct alignas(64) Member {
  Alarm alarm;  ///< First, as timers that fire in vain look at nothing else.
  sched::Peer peer;
  Rng rng;
  overlay::LazyVector<Attempt> running;
};
// Most of a turn is waiting for memory: with one line more a turn of Cyclon takes a quarter longer.
static_assert(sizeof(Member) <= std::size_t{6} * 64, "a peer that has no job yet");

/// All peers by number, and the turn that is taken. Ports that are lent to peers act for the peer
/// that acts.
struct Members {
  std::vector<Member> all;
  std::uint32_t acting = 0;  ///< The peer that has the turn ...
  Time now{};                ///< ... and since when.

  /// All peers that were added, dead and unborn ones included.
  std::uint32_t size() const { return static_cast<std::uint32_t>(all.size()); }
  Member& operator[](std::uint32_t peer) { return all[peer]; }
  const Member& operator[](std::uint32_t peer) const { return all[peer]; }
};

}  // namespace dunlin::sim
