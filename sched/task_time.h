// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "sched/job.h"
#include "sched/kernel.h"

namespace dunlin::sched {

/// The length of a task of which nothing is known.
inline constexpr Duration kTaskTimeUnknown = std::chrono::seconds(10);

/// The speed of most nodes, in thousandths: a task takes its time divided by the node's speed.
inline constexpr std::uint32_t kSpeedUsual = 1000;

/// The mean length of the tasks that a node hears of, as an exponential average: each counts 1/64,
/// so that about the last 64 decide. It is the unit in which a queue measures patience.
class MeanTaskTime {
 public:
  /// `unknown` is the mean before any length is learnt.
  explicit MeanTaskTime(Duration unknown = kTaskTimeUnknown) : mean_(unknown) {}

  /// A task of this length was heard of. 0, an untold length, is left out. The first one
  /// sets the mean.
  void learn(Duration length) {
    if (length <= Duration{0}) return;
    length = sane_task_time(length);
    mean_ += learnt_any_ ? (length - mean_) / kWeight : length - mean_;
    learnt_any_ = true;
  }
  /// At least 1 ms: it is a divisor, and tasks that take no time at all are not worth an order.
  Duration value() const { return std::max<Duration>(mean_, std::chrono::milliseconds(1)); }

 private:
  static constexpr std::int64_t kWeight = 64;

  Duration mean_;
  bool learnt_any_ = false;
};

}  // namespace dunlin::sched
