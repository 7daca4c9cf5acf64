// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "overlay/result.h"
#include "sim/study/figures.h"
#include "sim/study/reading.h"
#include "sim/study/statistics.h"
#include "sim/study/trials.h"

namespace dunlin::sim {

/// The figures of one combination, over its replications.
struct SummaryRow {
  Settings settings;
  /// By figures(), those that are not asked for without values.
  std::vector<Estimate> estimates;
  /// The row that it is compared with: the first one with the same value of the first axis. It may
  /// be that row itself.
  std::size_t compared_with = 0;
  /// The plan's measure as a multiple of that in the first row with the same value of the first
  /// axis: the ratio of the two means over the runs that both have. Without replications in the
  /// first row itself, and where that has no value or 0.
  Estimate vs_first;
  /// Some measured job of some run was refused, lost, held back, or did not end: figures of jobs
  /// are over the others.
  bool partial = false;
  std::size_t ran = 0;      ///< Trials that its figures are of ...
  std::size_t missing = 0;  ///< ... and those that failed, or did not run.
};

/// The figures of one run.
struct Replication {
  std::size_t row = 0;     ///< The row of its combination.
  std::uint64_t seed = 0;  ///< The seed of its scenario ...
  std::uint64_t run = 1;   ///< ... and the number of the run: runs of one number share all chance.
  std::vector<Reading> figures;  ///< By figures().
};

/// The result of a study.
struct Summary {
  std::vector<SummaryRow> rows;
  std::vector<Replication> replications = {};

  /// The rows, for a terminal of `width` columns (0: of any): the axes and a few figures, those of
  /// `measure` among them. What is wider stands in tables one under the other.
  std::string table(const StudyPlan& plan, std::size_t width = 0) const;
  /// The axes, and each figure's mean and the half width of its confidence interval.
  std::string csv(const StudyPlan& plan) const;
  /// Every figure of every run, a line each: the axes, seed, run, figure, value. No value: there
  /// was nothing to take it of; ">16": it had not come by then.
  std::string tidy_csv(const StudyPlan& plan) const;
  /// The rows with the scenario, the settings, and the version.
  std::string json(const Study& study) const;
};

/// Reads the output of every trial. Fails if one is missing or broken.
Result<Summary> summarize(const Study& study, const std::vector<Trial>& trials);

/// The same of the trials that are done; rows tell how many are missing.
Result<Summary> summarize_done(const Study& study, const std::vector<Trial>& trials);

/// A figure of row `i` less that of `other`, over the runs that both have, run by run. Without
/// replications if they have none in common, or if it never came in one of them.
Estimate paired_difference(
    const Summary& summary, std::size_t i, std::size_t other, std::size_t measure);
/// The same as a multiple: the ratio of the means. Without replications, too, if the mean to divide
/// by is 0.
Estimate paired_multiple(
    const Summary& summary, std::size_t i, std::size_t other, std::size_t measure);

/// Draws a figure as the plan's `picture` says, with confidence intervals; for a star, a panel for
/// each axis but the first. If rows have runs in common, a second picture, `base`-paired, has their
/// differences. Writes all that draw() does. `not_found` if there is no gnuplot.
Result<void> draw_summary(const Study& study,
    const Summary& summary,
    const std::string& measure,
    const std::string& base);

}  // namespace dunlin::sim
