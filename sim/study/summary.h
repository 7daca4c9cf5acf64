// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "overlay/result.h"
#include "sim/study/statistics.h"
#include "sim/study/trials.h"

namespace dunlin::sim {

/// A figure of a run: its name in tables and axes, and its place in the run's JSON.
struct Figure {
  std::string_view name;
  std::string_view pointer;
  std::string_view meaning = {};  ///< Its name in pictures; empty: `name`.
};
/// All figures that summaries hold.
std::vector<Figure> figures();

/// The figures of one combination, over its replications.
struct SummaryRow {
  Settings settings;
  std::vector<Estimate> estimates;
  /// The plan's measure as a multiple of that in the first row with the same value of the first
  /// axis, replication by replication, so that the luck of a seed cancels out. Without replications
  /// in the first row itself, and where that has no value or 0.
  Estimate vs_first;
};

/// The result of a study.
struct Summary {
  std::vector<SummaryRow> rows;

  /// The rows, for a terminal of `width` columns (0: of any): the axes and a few figures, those of
  /// `measure` among them. What is wider stands in tables one under the other.
  std::string table(const StudyPlan& plan, std::size_t width = 0) const;
  /// The axes, and each figure's mean and the half width of its confidence interval.
  std::string csv(const StudyPlan& plan) const;
  /// The same with the scenario, the settings, and the version.
  std::string json(const Study& study) const;
};

/// Reads the output of every trial. Fails if one is missing or broken.
Result<Summary> summarize(const Study& study, const std::vector<Trial>& trials);

/// Draws a figure over the plan's first axis, a line for each combination of the others, with
/// confidence intervals; for a star, a panel for each of the others. Writes `base`.svg and
/// `base`.png. `not_found` if there is no gnuplot.
Result<void> draw_summary(const Study& study,
    const Summary& summary,
    const std::string& measure,
    const std::string& base);

}  // namespace dunlin::sim
