// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <vector>

#include "overlay/time.h"

namespace dunlin::sim {

using overlay::Duration;

/// What tasks of a job lately took, at speed 1: an exponential mean. Tasks that run longer than
/// that count with their age, or growing tasks would be noticed only when they end. A mean
/// of all tasks so far reacts late. Source: Lin 2014, sections 3.3 and 6.2, which do not say what
/// mean.
class TaskTimes {
 public:
  /// A task took so long, by the speed of its machine.
  void ended(Duration took) { mean_ = folded(mean_, took); }

  /// Empty before the first has ended. `ages`: how long each running task has run, by speed.
  std::optional<Duration> estimate(std::vector<Duration> ages) const {
    if (!mean_) return std::nullopt;
    std::ranges::sort(ages);
    std::optional<Duration> estimate = mean_;
    for (const Duration age : ages) {
      if (age > *estimate) estimate = folded(estimate, age);
    }
    return estimate;
  }

 private:
  /// The weight of one task: the last four count for two thirds.
  static constexpr int kWeight = 4;
  static std::optional<Duration> folded(std::optional<Duration> mean, Duration took) {
    return mean ? *mean + (took - *mean) / kWeight : took;
  }

  std::optional<Duration> mean_;
};

}  // namespace dunlin::sim
