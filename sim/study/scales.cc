// SPDX-License-Identifier: MIT
#include "sim/study/scales.h"

#include <algorithm>
#include <cmath>
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
    if (row.estimates[measure].count == 0) continue;
    const double mean = row.estimates[measure].mean;
    // A scale of orders has no place for values below 0.
    if (mean < 0) return std::nullopt;
    if (mean > 0) lowest = std::min(lowest, mean);
    highest = std::max(highest, mean);
  }
  if (highest < kFactor * lowest) return std::nullopt;
  // 0 has no place on such an axis; below all others it still reads as smaller than they are.
  return lowest / 2;
}

bool spaced_by_factors(std::vector<double> numbers) {
  constexpr double kWide = 4;    // Below this, the two axes hardly differ.
  constexpr double kWider = 30;  // Two numbers have one step: any axis shows them evenly.
  std::ranges::sort(numbers);
  if (numbers.size() < 2 || numbers.front() <= 0) return false;
  const double span = numbers.back() / numbers.front();
  if (numbers.size() == 2) return span >= kWider;
  // How uneven steps are: the largest as a multiple of the least.
  double min_step = span * numbers.back(), max_step = 0, min_factor = span, max_factor = 1;
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    const double step = numbers[i] - numbers[i - 1];
    const double factor = numbers[i] / numbers[i - 1];
    min_step = std::min(min_step, step);
    max_step = std::max(max_step, step);
    min_factor = std::min(min_factor, factor);
    max_factor = std::max(max_factor, factor);
  }
  if (span < kWide || min_step <= 0) return false;
  // A scale suits if steps on it are alike: here, if factors are more alike than differences.
  return std::log(max_factor) / std::log(min_factor) < max_step / min_step;
}

// One wide interval, as of two replications, must not press all lines flat: bars are cut before
// that, and the note says so.
VerticalRange vertical_range(
    const Summary& summary, std::size_t measure, const std::vector<double>& also) {
  constexpr double kBeyond = 0.6;  // How far bars may reach beyond the means, of their span.
  constexpr double kMargin = 0.05;
  constexpr double kBeyondFactor = 5, kMarginFactor = 1.3;  // The same on a logarithmic scale.
  double low = 0, high = 0, low_bar = 0, high_bar = 0;
  bool nothing = false, any = false;
  const auto see = [&](double value, double half) {
    low = any ? std::min(low, value) : std::min(0.0, value);
    high = any ? std::max(high, value) : value;
    low_bar = std::min(low_bar, value - half);
    high_bar = any ? std::max(high_bar, value + half) : value + half;
    any = true;
  };
  for (const SummaryRow& row : summary.rows) {
    const Estimate& estimate = row.estimates[measure];
    if (estimate.count == 0) continue;
    nothing = nothing || estimate.mean == 0;
    see(estimate.mean, estimate.half_width);
  }
  for (const double value : also) see(value, 0);
  std::ostringstream text;
  if (const auto floor = floor_of_orders(summary, measure)) {
    // Intervals that reach 0 have no lower end here.
    const double top = std::min(high_bar, kBeyondFactor * high);
    text << "set logscale y\nset yrange [" << *floor << ":" << top * kMarginFactor << "]\n";
    if (nothing) text << "set ytics add ('0' " << *floor << ")\n";
    return {.commands = text.str(), .cuts = high_bar > top || low_bar < 0};
  }
  const double span = high - low;
  const double top = std::min(high_bar, high + kBeyond * span);
  // A figure that is never negative does not get there by its bars.
  const double bottom = low < 0 ? std::max(low_bar, low - kBeyond * span) : 0;
  const double margin = kMargin * (top - bottom);
  text << "set yrange [" << (bottom < 0 ? bottom - margin : 0) << ":"
       << (top > bottom ? top + margin : bottom + 1) << "]\n";
  return {.commands = text.str(), .cuts = high_bar > top || (low < 0 && low_bar < bottom)};
}

std::string note_on_cuts(const VerticalRange& range) {
  return range.cuts ? "; bars cut" : "";
}

std::vector<std::string> in_order(const Axis& axis) {
  auto values = axis.values;
  const auto is_number = [](const auto& value) { return number_of(value).has_value(); };
  // Words stay in the order that the study gives them.
  if (std::ranges::all_of(values, is_number)) {
    std::ranges::stable_sort(values, {}, [](const auto& value) { return *number_of(value); });
  }
  return values;
}

}  // namespace dunlin::sim
