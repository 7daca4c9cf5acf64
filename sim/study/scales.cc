// SPDX-License-Identifier: MIT
#include "sim/study/scales.h"

#include <algorithm>
#include <limits>
#include <sstream>

#include "overlay/param_entries.h"

namespace dunlin::sim {

std::optional<double> number_of(const std::string& value) {
  if (const auto number = overlay::parse_number(value)) return *number;
  const auto duration = overlay::parse_duration(value);
  if (!duration) return std::nullopt;
  return std::chrono::duration<double>(*duration).count();
}

std::string value_of(const std::string& setting) {
  return setting.substr(setting.find('=') + 1);
}

std::optional<double> floor_of_orders(const Summary& summary, std::size_t measure) {
  constexpr double kFactor = 50;
  double lowest = std::numeric_limits<double>::max(), highest = 0;
  for (const SummaryRow& row : summary.rows) {
    const double mean = row.estimates[measure].mean;
    if (mean < 0) return std::nullopt;
    if (mean > 0) lowest = std::min(lowest, mean);
    highest = std::max(highest, mean);
  }
  if (highest < kFactor * lowest) return std::nullopt;
  return lowest / 2;
}

std::string range_of_orders(
    const Summary& summary, std::size_t measure, const std::string& highest) {
  const auto floor = floor_of_orders(summary, measure);
  if (!floor) return "set yrange [0:" + highest + "]\n";
  std::ostringstream range;
  range << "set logscale y\nset yrange [" << *floor << ":" << highest << "]\n";
  const auto is_nothing = [&](const SummaryRow& row) {
    const Estimate& estimate = row.estimates[measure];
    return estimate.count > 0 && estimate.mean == 0;
  };
  if (std::ranges::any_of(summary.rows, is_nothing)) {
    range << "set ytics add ('0' " << *floor << ")\n";
  }
  return range.str();
}

}  // namespace dunlin::sim
