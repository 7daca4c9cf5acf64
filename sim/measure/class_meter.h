// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "overlay/time.h"
#include "sim/scenario/classes.h"

namespace dunlin::sim {

/// The part of the cluster that each class occupied: its tasks' CPUs while they ran.
class ClassMeter {
 public:
  ClassMeter() = default;
  explicit ClassMeter(std::vector<WorkloadClass> classes)
      : classes_(std::move(classes)),
        running_(classes_.size()),
        total_(classes_.size()) {}

  /// From now on, `cpu` milli-CPU more (or less) run for a class. Unknown classes are not counted.
  void change(Time now, sched::ClassId class_id, double cpu) {
    for (std::size_t j = 0; j < classes_.size(); ++j) {
      if (classes_[j].id != class_id) continue;
      advance(now);
      running_[j] += cpu;
    }
  }
  /// CPU × s so far, by class.
  std::vector<double> total(Time now) {
    advance(now);
    return total_;
  }
  /// In the order of the scenario, as are all figures by class.
  const std::vector<WorkloadClass>& classes() const { return classes_; }

 private:
  void advance(Time now) {
    // milli-CPU × s / 1000 are CPU × s.
    const double elapsed = std::chrono::duration<double>(now - counted_).count() / 1000;
    counted_ = now;
    for (std::size_t j = 0; j < classes_.size(); ++j) total_[j] += running_[j] * elapsed;
  }

  std::vector<WorkloadClass> classes_;
  std::vector<double> running_;  ///< milli-CPU.
  std::vector<double> total_;
  Time counted_{};
};

}  // namespace dunlin::sim
