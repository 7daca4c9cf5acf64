// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "sim/study/summary.h"

// What pictures of a summary have in common.
namespace dunlin::sim {

/// A value of an axis as a number: seconds if it is a duration.
std::optional<double> number_of(const std::string& value);

/// "0.8" of "workload.load=0.8".
std::string value_of(const std::string& setting);

/// Where a logarithmic axis should begin: empty unless the means differ by a factor of 50 or more,
/// and none is 0. Intervals may reach below.
std::optional<double> floor_of_orders(const Summary& summary, std::size_t measure);

/// Draws a star: a panel for each axis but the first, in which it alone is moved, with a line for
/// each value of the first. `measure` counts figures().
Result<void> draw_star(
    const Study& study, const Summary& summary, std::size_t measure, const std::string& base);

}  // namespace dunlin::sim
