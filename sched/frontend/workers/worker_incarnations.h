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
  Loss note(Time now, PeerId worker, std::uint32_t incarnation, std::uint32_t since) {
    hear(now, worker, incarnation);
    Known& known = known_[worker];
    if (incarnation <= known.noted) return {};
    const bool met = known.noted != 0;
    // Whatever was bound there was bound to the incarnation known, or to an earlier one.
    const Loss loss{.queue = met, .tasks = met && since > known.noted};
    known.noted = incarnation;
    return loss;
  }
  /// `worker` is `incarnation`, and does not say since when it has kept its tasks.
  void hear(Time now, PeerId worker, std::uint32_t incarnation) {
    Known& known = known_[worker];
    if (incarnation <= known.heard) return;
    known.heard = incarnation;
    known.heard_at = now;
  }
  /// True if the worker was first heard of as a later incarnation than `incarnation`, the latest
  /// that there is, at least `ago`.
  bool superseded(Time now, PeerId worker, std::uint32_t incarnation, Duration ago) const {
    const auto found = known_.find(worker);
    return found != known_.end() && found->second.heard > incarnation &&
        now - found->second.heard_at >= ago;
  }

 private:
  struct Known {
    std::uint32_t noted = 0;
    std::uint32_t heard = 0;
    Time heard_at{};  ///< The time of the first word of that one.
  };
  std::map<PeerId, Known> known_;
};

}  // namespace dunlin::sched
