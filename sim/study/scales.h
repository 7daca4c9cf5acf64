// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/study/summary.h"

// The common parts of the pictures of a summary.
namespace dunlin::sim {

/// A value of an axis as a number: seconds if it is a duration.
std::optional<double> number_of(const std::string& value);

/// The value of a setting: "0.8" for "workload.load=0.8".
std::string value_of(const std::string& setting);

/// The lower end of a logarithmic axis: empty unless the means above 0 differ by a factor of 50 or
/// more. Values of 0 are drawn there. Intervals may reach below.
std::optional<double> floor_of_orders(const Summary& summary, std::size_t measure);
/// True if numbers are spaced by factors rather than by differences, as 1, 10, 100 are, so that a
/// logarithmic axis shows them evenly.
bool spaced_by_factors(std::vector<double> numbers);

/// The commands that scale the vertical axis: logarithmically over orders of magnitude, or
/// linearly, from 0 if nothing is below. Means have most of the frame: a bar that is much longer
/// than the means lie apart is cut.
struct VerticalRange {
  std::string commands;
  bool cuts = false;  ///< A bar is cut.
};
/// `also` are further values that must be seen.
VerticalRange vertical_range(
    const Summary& summary, std::size_t measure, const std::vector<double>& also);
/// What a note says of bars that are cut, or nothing.
std::string note_on_cuts(const VerticalRange& range);

/// The values of an axis from the least to the greatest, or as they are listed if they are words.
std::vector<std::string> in_order(const Axis& axis);

}  // namespace dunlin::sim
