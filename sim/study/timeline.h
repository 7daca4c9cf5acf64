// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "overlay/result.h"
#include "sim/study/statistics.h"
#include "sim/study/trials.h"

namespace dunlin::sim {

/// A measure of the overlay at one moment, over all replications.
struct TimelinePoint {
  double at_s = 0;  ///< Since the moment that the plan names.
  Estimate value;
};

/// The course of a measure of the overlay's health: a line for each combination of the axes'
/// values.
struct Timeline {
  std::string measure;
  std::vector<Settings> settings;
  std::vector<std::vector<TimelinePoint>> lines;
  /// The desired values for the first line, if the measure is the share of a class.
  std::vector<TimelinePoint> desired = {};

  /// A row for each moment, for a terminal of `width` columns (0: of any): a selection, if there
  /// are many. Lines that do not fit stand in tables below.
  std::string table(std::size_t width = 0) const;
  /// All moments, with confidence intervals.
  std::string csv() const;
};

/// The meaning of a measure, in words.
std::string meaning_of_timeline(const std::string& measure);

/// Reads the output of every trial. Fails if one is broken, or did not examine the overlay.
Result<Timeline> timeline_of(
    const Study& study, const std::vector<Trial>& trials, const std::string& measure);

/// Draws the lines and the plan's references as draw() does. `not_found` if there is no
/// gnuplot.
Result<void> draw_timeline(const Study& study, const Timeline& timeline, const std::string& base);

}  // namespace dunlin::sim
