// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "sim/study/reading.h"

namespace dunlin::sim {

/// A mean of independent replications, and how far the true mean may be from it. There is none if
/// some replication only says that its value is beyond what it saw: whatever the others say, the
/// mean is not theirs.
struct Estimate {
  double mean = 0;
  double half_width = 0;     ///< Half of the 95 % confidence interval; 0 with only one replication.
  std::size_t count = 0;     ///< Values that the mean is of; 0: there is no mean.
  std::size_t runs = 0;      ///< Replications that were asked, those without a value among them.
  std::size_t censored = 0;  ///< Those in which it did not come before the end.
  std::optional<double> median = {};  ///< If some are censored: the median of the others.

  /// Replications in which it came.
  std::size_t came() const { return runs - censored; }
};

/// The mean and its interval; all 0 without values.
Estimate estimate_of(std::span<const double> values);
/// The same of what replications say; unknown ones are of no account.
Estimate estimate_of(std::span<const Reading> readings);

/// The mean of the first values of pairs as a multiple of the mean of the second ones, with an
/// interval by the jackknife: what it is without each pair in turn. So it is the ratio of the two
/// means that stand beside it, and pairs share their luck. Without values if the second mean is 0,
/// or is without some pair. Source: Quenouille 1956; Tukey 1958.
Estimate ratio_of_means(std::span<const std::pair<double, double>> pairs);

/// The value that |T| exceeds in 5 % of all cases, for T of Student's distribution with `freedom`
/// degrees of freedom. Requires freedom > 0.
double student_95(std::size_t freedom);

}  // namespace dunlin::sim
