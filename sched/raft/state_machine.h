// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "overlay/result.h"

namespace dunlin::sched {

/// The term of office of a manager: the Raft term in which it was elected. Higher ones are later.
using Epoch = std::uint64_t;

/// The state that a Raft group replicates: the same commands in the same order on every replica. It
/// depends on nothing else (no time, no chance, no order of addresses), so that all replicas stay
/// equal.
class StateMachine {
 public:
  virtual ~StateMachine() = default;

  /// Applies a command that a majority has stored, proposed by the manager of `epoch`. The result
  /// goes to the proposer. A command may come twice, if its proposer was not sure: it carries an id
  /// of its own where that matters.
  virtual std::string apply(Epoch epoch, std::string_view command) = 0;
  /// A manager of `epoch` is in office from this point of the log on.
  virtual void claim(Epoch epoch) { (void)epoch; }

  /// The whole state, at most kSnapshotMax bytes less 8.
  virtual std::string snapshot() const = 0;
  /// Takes over a state of snapshot(). Fails, and says why, if `bytes` are not of snapshot().
  virtual Result<void> restore(std::string_view bytes) = 0;
};

}  // namespace dunlin::sched
