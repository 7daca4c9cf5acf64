// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "node/control/json.h"

namespace dunlin::node {

/// The percentiles of numbers that come one by one: those of the numbers themselves while they are
/// few, later within 1 % of them, in a few kilobytes however many come.
///
/// Numbers are counted in classes that are narrower, for small ones, than one, and for others than
/// 1/128 of what they hold (a log-linear histogram). None may be negative: what is counts as 0.
class ValueFigures {
 public:
  /// So many are kept as they are.
  static constexpr std::size_t kExact = 1000;

  void add(std::int64_t value);
  std::uint64_t count() const { return count_; }
  /// {p50, p99, max, count}, in whole numbers; null of nothing.
  Json json() const;

 private:
  void count_in_class(std::uint64_t value);
  /// The number at that rank of all, from 0, in ascending order; the middle of its class.
  double value_at(std::uint64_t rank) const;

  std::vector<std::int64_t> values_;    ///< Empty once there are too many.
  std::vector<std::uint64_t> classes_;  ///< How many numbers are in each class, ...
  std::size_t first_class_ = 0;         ///< ... of which this is the first.
  std::uint64_t count_ = 0;
  std::int64_t max_ = 0;
};

}  // namespace dunlin::node
