// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "overlay/ensure.h"

// The one rule of all percentiles that are printed, by the simulator and by the command line. The
// papers' simulators print numpy's, which interpolates between the two closest values. The nearest
// rank prints one of the two: of 118 long jobs the 99th percentile is then the second longest, and
// neighbours there may be far apart. So figures are compared by the papers' rule.
namespace dunlin::config {

/// The rule as reports state it. Source: Hyndman and Fan 1996, their type 7.
inline constexpr const char* kPercentileRule =
    "linear interpolation between closest ranks (type 7)";

/// A place among sorted values that are counted from 0.
struct Place {
  std::uint64_t below = 0;  ///< The last value that is not above the place.
  double beyond = 0;        ///< The part of the way to the next value, in [0, 1).
};

/// The place of a percentile among `count` values: the least value is the 0th, the greatest the
/// 100th, and the others lie evenly between. Requires 0 <= percent <= 100 and count > 0.
inline Place place_of_percentile(double percent, std::uint64_t count) {
  ensure(percent >= 0 && percent <= 100, "a percentile out of range");
  ensure(count > 0, "a percentile of nothing");
  // Multiplied first: 50 % of 4 steps is exactly 2, where 0.55 * 100 would be a little more
  // than 55.
  const double place = percent * static_cast<double>(count - 1) / 100;
  const double below = std::floor(place);
  return {.below = static_cast<std::uint64_t>(below), .beyond = place - below};
}

/// The value at `place`, where `value_at(i)` is the i-th of the sorted values, as a number.
template <typename ValueAt>
double value_at_place(const Place& place, ValueAt&& value_at) {
  const double lower = value_at(place.below);
  if (place.beyond == 0) return lower;
  return lower + place.beyond * (value_at(place.below + 1) - lower);
}

/// A percentile of values that are sorted in ascending order. Requires at least one.
inline double percentile_of(std::span<const double> sorted, double percent) {
  return value_at_place(
      place_of_percentile(percent, sorted.size()), [&](std::uint64_t i) { return sorted[i]; });
}

}  // namespace dunlin::config
