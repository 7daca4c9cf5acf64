// SPDX-License-Identifier: MIT
#pragma once

#include "overlay/time.h"

namespace dunlin::node {

/// When an agent that was told to stop may do so. Its running tasks end first; then other nodes
/// take over what it manages and keeps for cells. Each of the two has a deadline. Pure: the agent
/// says how far it is.
class Shutdown {
 public:
  enum class Verdict : std::uint8_t {
    wait,
    stop,   ///< Nothing holds the agent any more.
    haste,  ///< The last deadline has passed: it stops, and leaves something behind.
  };

  /// Tasks have until `at` to end, and after that cells have `patience` to take over.
  void begin(overlay::Time at, overlay::Duration patience);
  bool begun() const { return tasks_until_ != overlay::kNever; }

  /// `idle` if no task runs here, `departed` if no cell needs this node. Requires that the shutdown
  /// has begun.
  Verdict verdict(overlay::Time now, bool idle, bool departed);

 private:
  overlay::Time tasks_until_ = overlay::kNever;
  overlay::Time cells_until_ = overlay::kNever;
  overlay::Duration patience_{0};
};

}  // namespace dunlin::node
