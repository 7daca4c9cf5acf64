// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

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
/// The gnuplot command that scales the y axis so, or linearly from 0, up to `highest` ("*": as far
/// as needed).
std::string range_of_orders(
    const Summary& summary, std::size_t measure, const std::string& highest);

/// Draws a star: a panel for each axis but the first, in which it alone is moved, with a line for
/// each value of the first. `measure` counts figures().
Result<void> draw_star(
    const Study& study, const Summary& summary, std::size_t measure, const std::string& base);

}  // namespace dunlin::sim
