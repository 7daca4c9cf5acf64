// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "sched/kernel.h"
#include "sched/task_time.h"

namespace dunlin::sched {

/// How fast a node is, as its tasks show: those that take half the time that such tasks take at
/// speed 1 say 2. About the last hundred tasks decide, by the sums of their times, and it changes
/// only when they say clearly otherwise: each change may move slots.
class NodeSpeed {
 public:
  /// A task took `took`; such tasks took `measured` lately, at speed 1.
  void learn(Duration measured, Duration took);
  /// In thousandths; kSpeedUsual until enough is known.
  std::uint32_t thousandths() const { return told_; }

 private:
  double measured_ = 0;  ///< In nanoseconds, of the tasks that decide, each less than the next.
  double took_ = 0;
  std::uint32_t tasks_ = 0;
  std::uint32_t told_ = kSpeedUsual;
};

}  // namespace dunlin::sched
