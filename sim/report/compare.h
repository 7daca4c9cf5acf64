// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "overlay/result.h"
#include "sim/report/gnuplot.h"

namespace dunlin::sim {

/// The whole jobs of two runs, job by job. Both had the same jobs, and other schedulers. Unpaired:
/// of two samples of jobs, which need not be the same.
struct Comparison {
  bool paired = true;
  /// The completion of each job in the first run, as a multiple of that in the second; sorted.
  /// Unpaired: the least of the first as a multiple of the least of the second, and so on, at as
  /// many places of the two distributions as the smaller one has jobs.
  std::vector<double> ratios;
  std::size_t alone = 0;  ///< Jobs that only one of them finished, or lists.
  /// Of the first run to the second; empty if one of them did not finish all jobs.
  std::optional<double> makespan_ratio;
  double mean_ratio = 0;    ///< Of mean completions.
  double slowed_share = 0;  ///< Of jobs that took longer in the first, beyond the tolerance.
  double slowed_by = 0;     ///< The mean of ratio - 1 over those.

  /// The change at a percentile of the ratios, as a part: -.3 is 30 % less. Requires a ratio.
  double change_at(double percent) const;
};

/// How runs are to be compared.
struct ComparedAs {
  double tolerance = 0.01;  ///< A job is slowed if it takes longer by more than that part.
  bool paired = true;       ///< Job by job.
};

/// Compares the JSON files of two runs. Fails if a file is no result of a run; and, unless they are
/// unpaired, if their jobs are not the same: if seed, run, workload or trace differ, or a job of
/// one key came at another time or has other tasks.
Result<Comparison> compare_runs(
    const std::string& first, const std::string& second, const ComparedAs& as);

/// For a terminal ...
std::string text_of(const Comparison& comparison);
/// ... and as JSON.
std::string json_of(const Comparison& comparison);
/// The distribution of the changes.
Picture picture_of(const Comparison& comparison, const std::string& title);

}  // namespace dunlin::sim
