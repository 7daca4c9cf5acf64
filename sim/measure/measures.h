// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "overlay/params.h"
#include "sim/measure/histogram.h"

namespace dunlin::sim {

struct MeasureParams {
  Duration cutoff{0};
  Duration slowdown_floor{0};
  Duration health_period{0};
  std::uint32_t health_sample = 100;
  bool cell_cpu = false;
};

/// Which jobs a figure is of: all; those whose tasks are short, or long, on average; those that
/// any machine can run, if it is large enough, or those with constraints.
enum class JobClass : std::uint8_t { all, short_jobs, long_jobs, free_jobs, constrained_jobs };
inline constexpr std::size_t kJobClasses = 5;

/// A slowdown of 1 in a histogram, which holds durations.
inline constexpr Duration kNoSlowdown = std::chrono::milliseconds(1);

/// What is measured of the jobs of a class.
struct Measures {
  /// Of tasks: from the submit of the job to the start of the first attempt.
  Histogram queueing_delay;
  /// From the submit until the frontend hears of the first worker that can start a task now: the
  /// "time to find a resource" of the ID2210 paper.
  Histogram finding;
  /// From the submit until the frontend knows that the last task ended.
  Histogram response;
  /// Response less the job's longest task.
  Histogram excess;
  /// From the submit until the last task ended, where it ran: what papers call completion time.
  Histogram completion;
  /// Completion less the job's longest task: what scheduling cost. No scheduler gets below the time
  /// that its messages take.
  Histogram delay;
  /// Completion as a multiple of the job's longest task, in units of kNoSlowdown.
  Histogram slowdown;
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
template <>
inline constexpr std::string_view kSection<sim::MeasureParams> = "measures";
template <>
inline constexpr auto kParams<sim::MeasureParams> = std::tuple{
    Param<&sim::MeasureParams::cutoff>{{std::chrono::seconds(0), std::chrono::hours(24 * 365)},
        "A job is short if its tasks take at most so long on average. 0: jobs are not told apart.",
        "Delgado 2015 (Hawk)"},
    Param<&sim::MeasureParams::slowdown_floor>{{std::chrono::seconds(0), std::chrono::hours(24)},
        "For the slowdown, shorter jobs count as so long.", "10 s: Feitelson 2001"},
    Param<&sim::MeasureParams::health_period>{{std::chrono::seconds(0), std::chrono::hours(24)},
        "Time between two looks at the overlay's health. 0: it is not looked at."},
    Param<&sim::MeasureParams::health_sample>{{1, 1000000, Scale::log},
        "Peers, by chance, for which that is measured which takes long: paths, clusters, ideals."},
    Param<&sim::MeasureParams::cell_cpu>{
        {}, "The CPU time that peers spend on cells is measured. It depends on the machine."},
};
}  // namespace dunlin::overlay
