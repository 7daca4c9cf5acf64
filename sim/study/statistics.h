// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

namespace dunlin::sim {

/// A mean of independent replications, and how far the true mean may be from it.
struct Estimate {
  double mean = 0;
  double half_width = 0;  ///< Of the 95 % confidence interval; 0 if there is but one replication.
  std::size_t count = 0;
};

/// Of none, all is 0.
Estimate estimate_of(std::span<const double> values);

/// The value that |T| exceeds in 5 % of all cases, T of Student's distribution with `freedom`
/// degrees of freedom. Requires freedom > 0.
double student_95(std::size_t freedom);

}  // namespace dunlin::sim
