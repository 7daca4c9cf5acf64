// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "overlay/turn.h"
#include "sched/federation/partition.h"
#include "sched/kernel.h"
#include "sched/message.h"
#include "sched/turn.h"

namespace dunlin::sched::federation {

/// All that a global or a local master may see and touch during one step. Valid only during the
/// call.
struct MastersTurn {
  Time now;
  Rng& rng;
  overlay::Port<Message>& out;
  Effort* effort = nullptr;  ///< See sched::Turn.

  /// The step looked at so many rows, verified them or told of them.
  void count_rows(std::uint64_t rows) const {
    if (effort != nullptr) effort->rows += rows;
  }
  /// It looked for a match: all that was ever looked at is `after` now, and was `before`.
  void count_search(const Search& before, const Search& after) const {
    if (effort == nullptr) return;
    effort->rows += after.rows - before.rows;
    effort->words += after.words - before.words;
  }
};

}  // namespace dunlin::sched::federation
