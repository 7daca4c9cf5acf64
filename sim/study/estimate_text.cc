// SPDX-License-Identifier: MIT
#include "sim/study/estimate_text.h"

#include <algorithm>
#include <cmath>

#include "sim/report/text.h"

namespace dunlin::sim {
namespace {

constexpr int kDigits = 4;          // The digits of a value that is known exactly, or nearly so.
constexpr int kIntervalDigits = 2;  // The digits of a confidence interval.
constexpr int kDecimalsMax = 9;

/// Decimals that show `digits` digits of `value`, which is not 0.
int decimals_of(double value, int digits) {
  return digits - 1 - static_cast<int>(std::floor(std::log10(std::abs(value))));
}

/// printf's %.*f, with the thousands set apart.
std::string fixed_text(double value, int decimals) {
  std::string text = text_of("%.*f", decimals, value);
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  const std::size_t point = std::min(text.find('.'), text.size());
  for (std::size_t at = point; at > first + 3;) text.insert(at -= 3, 1, ',');
  return text;
}

}  // namespace

std::string text_of(const Estimate& estimate) {
  const auto of_runs = [&](std::size_t some) {
    return std::to_string(some) + " of " + std::to_string(estimate.runs);
  };
  if (estimate.censored > 0) {
    if (!estimate.median) return of_runs(0);
    return of_runs(estimate.came()) + "; median " +
        text_of(Estimate{.mean = *estimate.median, .count = 1, .runs = 1});
  }
  if (estimate.count == 0) return "-";
  int decimals = estimate.mean == 0 ? 0 : decimals_of(estimate.mean, kDigits);
  if (estimate.half_width > 0) {
    // A wide interval leaves fewer digits; a narrow one does not ask for more.
    const int sensible = decimals_of(estimate.half_width, kIntervalDigits);
    decimals = estimate.mean == 0 ? sensible : std::min(decimals, sensible);
  }
  decimals = std::clamp(decimals, 0, kDecimalsMax);
  std::string text = fixed_text(estimate.mean, decimals);
  if (estimate.half_width > 0) text += " ± " + fixed_text(estimate.half_width, decimals);
  if (estimate.count < estimate.runs) text += " (" + of_runs(estimate.count) + ")";
  return text;
}

}  // namespace dunlin::sim
