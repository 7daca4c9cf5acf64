// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "overlay/time.h"

namespace dunlin::sim {

using overlay::Duration;
using overlay::Time;

/// Durations, counted in buckets that are linear within each octave (128 of them). Any percentile
/// is exact to 0.4 %, whatever the range, in some 50 KB. Below 256 ns it is exact.
class Histogram {
 public:
  /// A point of the distribution: `share` of all values are at most `value`.
  struct Point {
    Duration value{0};
    double share = 0;
  };

  /// A negative value counts as 0.
  void add(Duration value);
  /// Adds all values of `other`.
  void merge(const Histogram& other);

  std::uint64_t count() const { return count_; }
  Duration min() const { return min_; }
  Duration max() const { return max_; }
  /// The exact mean. 0 if nothing was added, as for the functions below.
  Duration mean() const;
  /// By the rule of config/percentile.h. Requires 0 <= percent <= 100.
  Duration percentile(double percent) const;
  /// One point per bucket in use, ascending.
  std::vector<Point> distribution() const;

 private:
  static std::size_t bucket_of(std::uint64_t nanoseconds);
  Duration middle_of(std::size_t bucket) const;
  /// The value, or the middle of its bucket, that has so many before it when all are sorted.
  Duration value_at(std::uint64_t place) const;

  std::vector<std::uint64_t> buckets_;  ///< As many as the largest value needs.
  std::uint64_t count_ = 0;
  double sum_ = 0;
  Duration min_{0};
  Duration max_{0};
};

}  // namespace dunlin::sim
