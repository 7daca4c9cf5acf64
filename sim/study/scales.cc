// SPDX-License-Identifier: MIT
#include "sim/study/scales.h"

#include <algorithm>
#include <ranges>

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
  const auto mean = [&](const SummaryRow& row) { return row.estimates[measure].mean; };
  const auto [least, most] = std::ranges::minmax(summary.rows | std::views::transform(mean));
  if (least <= 0 || most < kFactor * least) return std::nullopt;
  return least / 2;
}

}  // namespace dunlin::sim
