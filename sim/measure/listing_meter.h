// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "sim/measure/sample.h"

namespace dunlin::sim {

/// What lists of the cluster's jobs found, and how long they took.
struct ListingMeter {
  Sample took;               ///< From the question until the last answer, or the end of patience.
  std::uint64_t nodes = 0;   ///< Nodes that answered ...
  std::uint64_t silent = 0;  ///< ... and nodes named as silent, of all lists together.
  std::uint64_t missed = 0;  ///< Nodes that were up, and of which nothing was found.
  std::uint64_t jobs = 0;    ///< Jobs found that match.
  std::uint64_t cells_silent = 0;  ///< Cells of which nothing was found.

  std::uint64_t lists() const { return took.count(); }
  /// That number of all lists, for one.
  double mean(std::uint64_t of_all) const {
    return lists() == 0 ? 0 : static_cast<double>(of_all) / static_cast<double>(lists());
  }
};

}  // namespace dunlin::sim
