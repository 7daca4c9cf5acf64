// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

namespace dunlin::sim {

/// A mean of independent replications, and how far the true mean may be from it.
struct Estimate {
  double mean = 0;
  double half_width = 0;  ///< Half of the 95 % confidence interval; 0 with only one replication.
  std::size_t count = 0;
};

/// The mean and its interval; all 0 without values.
Estimate estimate_of(std::span<const double> values);

/// The value that |T| exceeds in 5 % of all cases, for T of Student's distribution with `freedom`
/// degrees of freedom. Requires freedom > 0.
double student_95(std::size_t freedom);

}  // namespace dunlin::sim
