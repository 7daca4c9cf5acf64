// SPDX-License-Identifier: MIT
#include "tools/dunlin/screen/sparkline.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

#include "sched/resources.h"
#include "tools/dunlin/screen/text.h"

// Several values may fall into one column: then the highest is shown, since a reader looks for
// peaks. Heights begin at 0 and not at the lowest value, or noise would look like a mountain. A
// step without a measurement is a blank, and not a low bar.
namespace dunlin::cli {
namespace {

constexpr std::string_view kSparks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::size_t kSparkColumns = 60;
/// The label before it, and "31.3 GiB to 62.6 GiB" behind.
constexpr std::size_t kBesideSpark = 11 + 24;
constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

/// The lines of a screen: a figure, and how it is called there.
struct PastShown {
  std::string_view figure;
  std::string_view label;
};
constexpr PastShown kPastShown[] = {{"cpu_free_milli", "free cpu"}, {"memory_free_mib", "free mem"},
    {"running", "running"}, {"queued", "queued"}, {"failed", "failed"}};

/// With its unit. Values come from an agent, so they are held within what the texts can say.
std::string figure_text(std::string_view figure, double number) {
  const double sane = std::clamp(number, 0.0, 4e9);
  if (figure == "cpu_free_milli") return sched::cpu_text(static_cast<std::uint32_t>(sane));
  const auto whole = static_cast<std::uint64_t>(sane);
  return figure == "memory_free_mib" ? sched::memory_text(whole) : std::to_string(whole);
}

/// The values of one figure, the oldest first; NaN where nothing is known.
std::vector<double> values_of(const Json& past, std::string_view figure) {
  std::vector<double> values;
  for (const Json& each : member(past, "figures")) {
    if (value<std::string>(each, "name") != figure) continue;
    for (const Json& told : member(each, "values")) {
      values.push_back(told.is_number() ? told.get<double>() : kNoValue);
    }
  }
  return values;
}

}  // namespace

std::string sparkline(const std::vector<double>& values, std::size_t columns) {
  if (values.empty() || columns == 0) return "";
  const std::size_t shown = std::min(values.size(), columns);
  std::vector<double> heights(shown, kNoValue);
  for (std::size_t i = 0; i < values.size(); ++i) {
    // Of several values that share a place the highest counts: a short peak is what people look
    // for.
    double& height = heights[i * shown / values.size()];
    if (!std::isnan(values[i]))
      height = std::isnan(height) ? values[i] : std::max(height, values[i]);
  }
  double peak = 0;
  for (const double height : heights) {
    if (!std::isnan(height)) peak = std::max(peak, height);
  }
  std::string line;
  for (const double height : heights) {
    if (std::isnan(height)) {
      line += ' ';
      continue;
    }
    constexpr auto kLast = static_cast<double>(std::size(kSparks) - 1);
    // From 0 and not from the lowest value: noise would look like a mountain.
    const double part = peak > 0 ? std::clamp(height / peak, 0.0, 1.0) : 0;
    line += kSparks[static_cast<std::size_t>(std::lround(part * kLast))];
  }
  return line;
}

std::string past_lines(const Json& past, std::size_t columns) {
  const std::size_t room = columns > kBesideSpark ? columns - kBesideSpark : 1;
  const std::size_t sparks = std::min(kSparkColumns, room);
  std::string text;
  std::size_t steps = 0;
  for (const PastShown& each : kPastShown) {
    const std::vector<double> values = values_of(past, each.figure);
    double low = kNoValue;
    double high = kNoValue;
    for (const double one : values) {
      if (std::isnan(one)) continue;
      low = std::isnan(low) ? one : std::min(low, one);
      high = std::isnan(high) ? one : std::max(high, one);
    }
    // An agent of before does not have the figure, or it was just started.
    if (std::isnan(low)) continue;
    steps = std::max(steps, values.size());
    std::string label = "  " + std::string(each.label);
    label.resize(11, ' ');
    text += label + sparkline(values, sparks) + "  " + figure_text(each.figure, low) + " to " +
        figure_text(each.figure, high) + "\n";
  }
  if (text.empty()) return "";
  const double seconds = value<double>(past, "step_ns") * 1e-9 * static_cast<double>(steps);
  return "  past     of the last " + age_text(seconds) + "\n" + text;
}

}  // namespace dunlin::cli
