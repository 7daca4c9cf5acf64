// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "overlay/result.h"
#include "sim/report/gnuplot.h"

namespace dunlin::sim {

/// The whole jobs of two runs, job by job. Both had the same jobs, and other schedulers.
struct Comparison {
  /// The completion of each job in the first run, as a multiple of that in the second; sorted.
  std::vector<double> ratios;
  std::size_t alone = 0;      ///< Jobs that only one of them finished, or lists.
  double makespan_ratio = 0;  ///< Of the first run to the second.
  double mean_ratio = 0;      ///< Of mean completions.
  double slowed_share = 0;    ///< Of jobs that took longer in the first, beyond the tolerance.
  double slowed_by = 0;       ///< The mean of ratio - 1 over those.

  /// The change at a percentile of the ratios, as a part: -.3 is 30 % less. Requires a ratio.
  double change_at(double percent) const;
};

/// Compares the JSON files of two runs. A job is slowed if it takes longer by more than the part
/// `tolerance`. Fails if a file is no result of a run, or if the two have no job in common.
Result<Comparison> compare_runs(
    const std::string& first, const std::string& second, double tolerance);

/// For a terminal ...
std::string text_of(const Comparison& comparison);
/// ... and as JSON.
std::string json_of(const Comparison& comparison);
/// The distribution of the changes.
Picture picture_of(const Comparison& comparison, const std::string& title);

}  // namespace dunlin::sim
