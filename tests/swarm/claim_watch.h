// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <utility>

#include "sched/cell/sharing_params.h"
#include "tests/support/world.h"

namespace dunlin::test {

/// Watches that the plans of all cells together give no job more slots than its tasks can use. A
/// manager may not know yet that tasks have ended, or that another one gives more than before; so
/// it is a fault only if it lasts longer than any of them may rely on what it heard.
class ClaimWatch {
 public:
  /// `world` outlives it; `params` are those of its nodes.
  ClaimWatch(World& world, const sched::SharingParams& params);

  /// Looks at all managers, and declares the run broken if a job has too many slots for too long.
  /// Returns the number of jobs that have slots in a cell which is not their frontend's.
  std::uint64_t look();

 private:
  struct Watched {
    std::deque<std::pair<sched::Time, std::uint64_t>> left;  ///< Slots it could use, lately.
    sched::Time fine{};  ///< When it last had no more than that.
  };

  World& world_;
  sched::Duration patience_;
  std::map<sched::JobId, Watched> jobs_;
};

}  // namespace dunlin::test
