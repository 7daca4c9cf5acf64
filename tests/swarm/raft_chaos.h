// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "overlay/time.h"

namespace dunlin::test {

/// The fate of a group of replicas that was drawn from a seed.
struct RaftVerdict {
  std::string failure;  ///< Empty if everything held.
  std::string drawn;    ///< In words.
  std::uint64_t hash = 0;
  std::uint64_t steps = 0;
  overlay::Duration finish{};  ///< From healing until all replicas were equal.

  // Counts of events, to see that they happen.
  std::uint64_t terms = 0;
  std::uint64_t committed = 0;
  std::uint64_t twice = 0;
  std::uint64_t unsure = 0;
  std::uint64_t kills = 0;
  std::uint64_t dooms = 0;  ///< Deaths in the middle of a turn.
  std::uint64_t cuts = 0;
  std::uint64_t losses = 0;      ///< Lost disks.
  std::uint64_t dismissals = 0;  ///< Members removed.
  std::uint64_t transfers = 0;
  std::uint64_t snapshots = 0;
};

/// A bank on 3 to 5 replicas, some of which join later. Chaos: messages lost, doubled, late and out
/// of order; the leader and another cut off from the rest, some of it one-way; kill -9 between
/// turns and within them, followed by a restart; a disk lost, with the change of members that
/// follows; members removed and added again; leadership handed over; commands sent again when
/// nobody knows what became of them. Then all is healed.
///
/// Promises: at every step and on every replica, money is conserved, the same commands are applied
/// in the same order and no term has two leaders. After healing, within a minute: a manager, and
/// every replica equal, with every acknowledged command applied once.
///
/// With `codec`, messages travel as bytes: the trace is the same.
RaftVerdict run_raft_chaos(std::uint64_t seed, bool codec);

}  // namespace dunlin::test
