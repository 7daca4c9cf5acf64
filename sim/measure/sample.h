// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/measure/histogram.h"

namespace dunlin::sim {

/// Durations that were measured, and their percentiles by the rule of config/percentile.h. It keeps
/// each value, up to a bound; beyond that a histogram, whose percentiles are exact to 0.4 %.
class Sample {
 public:
  /// 32 MB. A run of 100,000 peers and 3.5 million tasks stays below.
  static constexpr std::size_t kExactMax = std::size_t{1} << 22;

  explicit Sample(std::size_t exact_max = kExactMax) : exact_max_(exact_max) {}

  /// A negative value counts as 0.
  void add(Duration value);

  /// True as long as each value is kept: then percentiles are exact.
  bool exact() const { return folded_.count() == 0; }
  std::uint64_t count() const { return exact() ? values_.size() : folded_.count(); }
  bool empty() const { return count() == 0; }
  /// The least, the greatest and the mean, always exact. Empty if nothing was added, as for the
  /// function below: of no values there is no mean, and nothing can be reckoned with it.
  std::optional<Duration> min() const;
  std::optional<Duration> max() const;
  std::optional<Duration> mean() const;
  /// Requires 0 <= percent <= 100.
  std::optional<Duration> percentile(double percent) const;
  /// The distribution in buckets of a histogram, however many values there are.
  std::vector<Histogram::Point> distribution() const { return folded().distribution(); }

 private:
  /// All values in a histogram.
  Histogram folded() const;
  /// Sorts the values that came since it was last asked.
  void sort() const;

  std::size_t exact_max_;
  mutable std::vector<Duration> values_;  ///< Each value, if exact().
  mutable bool sorted_ = true;
  Histogram folded_;  ///< All values, if there were too many.
};

}  // namespace dunlin::sim
