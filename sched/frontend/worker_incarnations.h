// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>

#include "sched/kernel.h"

namespace dunlin::sched {

/// The last known incarnation of each worker met.
class WorkerIncarnations {
 public:
  /// Notes it. True if the worker restarted since it was last heard of: then it has nothing of what
  /// was bound to its earlier incarnation. An earlier incarnation, heard of late, changes nothing.
  bool restarted(PeerId worker, std::uint32_t incarnation) {
    std::uint32_t& known = known_[worker];
    if (incarnation <= known) return false;
    const bool restarted = known != 0;
    known = incarnation;
    return restarted;
  }

 private:
  std::map<PeerId, std::uint32_t> known_;
};

}  // namespace dunlin::sched
