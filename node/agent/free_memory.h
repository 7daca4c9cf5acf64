// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "overlay/time.h"

namespace dunlin::node {

/// Has large blocks given back to the system as soon as they are freed, whatever was freed before.
/// Call it before the first of them.
void give_large_blocks_back();

/// Gives memory back to the system that was freed in small pieces, now and then: the allocator
/// keeps it for ever otherwise, and a burst of jobs or clients stays in the agent's size.
class FreeMemory {
 public:
  /// Call it about once a second.
  void look(overlay::Time now);

 private:
  std::optional<overlay::Time> given_;  ///< The last time.
};

}  // namespace dunlin::node
