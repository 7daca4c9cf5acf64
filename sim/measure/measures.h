// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "overlay/params.h"
#include "sim/measure/sample.h"

namespace dunlin::sim {

/// The jobs that a figure is about: all; those with tasks that are short, or long, on average;
/// those that any machine can run, if it is large enough, or those with constraints.
/// A job is in `all` and in one of each pair, so these are no parts of a whole.
enum class JobClass : std::uint8_t { all, short_jobs, long_jobs, free_jobs, constrained_jobs };
inline constexpr std::size_t kJobClasses = 5;

/// A slowdown of 1 in a sample, which holds durations.
inline constexpr Duration kNoSlowdown = std::chrono::milliseconds(1);

/// The measures of the jobs of a class.
struct Measures {
  /// Per task: from the submit of the job to the start of the first attempt.
  Sample queueing_delay;
  /// From the submit until the frontend hears of the first worker that can start a task now: the
  /// "time to find a resource" of the ID2210 paper.
  Sample finding;
  /// From the submit until the frontend knows that the last task ended.
  Sample response;
  /// Response less the job's longest task.
  Sample excess;
  /// From the submit until the last task ended at its worker: papers call it completion time.
  Sample completion;
  /// Completion less the job's longest task: the cost of scheduling. No scheduler gets below the
  /// time that its messages take.
  Sample delay;
  /// Completion as a multiple of the job's longest task, in units of kNoSlowdown.
  Sample slowdown;
};

/// Jain's index of fairness: 1 if all values are equal, 1/n if one of n has everything.
/// Source: Jain, Chiu and Hawe 1984.
class Fairness {
 public:
  void add(double value) {
    sum_ += value;
    squares_ += value * value;
    ++count_;
  }
  /// 1 if nothing was added.
  double index() const {
    return squares_ > 0 ? sum_ * sum_ / (squares_ * static_cast<double>(count_)) : 1;
  }

 private:
  double sum_ = 0;
  double squares_ = 0;
  std::uint64_t count_ = 0;
};

}  // namespace dunlin::sim

namespace dunlin::overlay {
template <>
inline constexpr std::string_view kWords<sim::JobClass>[] = {
    "all", "short", "long", "free", "constrained"};
}  // namespace dunlin::overlay
