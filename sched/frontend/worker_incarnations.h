// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>

#include "sched/kernel.h"

namespace dunlin::sched {

/// The last known incarnation of each worker met, and how far back its tasks go.
class WorkerIncarnations {
 public:
  /// The loss of a worker since it was last heard of.
  struct Loss {
    bool queue = false;  ///< It restarted: it has none of the reservations sent there before.
    bool tasks = false;  ///< Nor has it any task that was bound there before.
  };

  /// Notes that `worker` is `incarnation`, and has kept its tasks since its incarnation `since`. An
  /// earlier incarnation, heard of late, changes nothing.
  Loss note(PeerId worker, std::uint32_t incarnation, std::uint32_t since) {
    std::uint32_t& known = known_[worker];
    if (incarnation <= known) return {};
    const bool met = known != 0;
    // Whatever was bound there was bound to the incarnation known, or to an earlier one.
    const Loss loss{.queue = met, .tasks = met && since > known};
    known = incarnation;
    return loss;
  }

 private:
  std::map<PeerId, std::uint32_t> known_;
};

}  // namespace dunlin::sched
