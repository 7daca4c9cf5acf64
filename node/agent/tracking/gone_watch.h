// SPDX-License-Identifier: MIT
#pragma once

#include "node/store/results.h"
#include "node/wall_clock.h"
#include "overlay/time.h"
#include "sched/directory/directory.h"

namespace dunlin::node {

/// Notes which nodes left without a good-bye, while the directory still has them.
class GoneWatch {
 public:
  /// A node that is down stays in the directory for far longer.
  static constexpr overlay::Duration kPeriod = std::chrono::seconds(5);

  /// Looks, unless it did a moment ago.
  void look(const sched::Directory& directory, const Clocks& clocks, GoneNodes& gone);

 private:
  overlay::Time next_{};
};

/// What is to be kept of a node that is down. `node` is its entry in the directory.
GoneNode gone_of(const sched::KnownNode& node, const Clocks& clocks);

}  // namespace dunlin::node
