// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "overlay/result.h"
#include "sim/study/statistics.h"
#include "sim/study/trials.h"

namespace dunlin::sim {

/// The shares that classes had of a cluster, over all replications, for each combination of the
/// axes' values.
struct ClassShares {
  struct Class {
    std::string name;
    double desired = 0;
    std::vector<Estimate> occupied;  ///< By combination: its share of all that was occupied.
  };

  std::vector<Settings> settings;
  std::vector<Class> classes;  ///< None if no run had classes.

  /// A row for each combination, for a terminal of `width` columns (0: of any). Classes that do not
  /// fit stand in tables below.
  std::string table(std::size_t width = 0) const;
};

/// Reads the output of every trial. Fails (`corrupt`) if one is broken.
Result<ClassShares> class_shares_of(const Study& study, const std::vector<Trial>& trials);

/// Draws a bar for each class and combination, and its desired length, as draw()
/// does. `not_found` if there is no gnuplot.
Result<void> draw_class_shares(
    const Study& study, const ClassShares& shares, const std::string& base);

}  // namespace dunlin::sim
