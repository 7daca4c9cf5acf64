// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "sched/kernel.h"
#include "sched/ledger/books_types.h"
#include "sched/ledger/wide.h"

namespace dunlin::sched {

/// Measures the part of a node that each class occupies, on average over a period: u_ij. It counts
/// the dominant resource of each task for as long as the task holds it, used or not, since no other
/// task can have it meanwhile. Source: CS 736 slides.
class UsageMeter {
 public:
  explicit UsageMeter(Time now) : begun_(now), counted_(now) {}

  /// A task of `class_id` takes or leaves `part` millionths of the node; see dominant_part().
  /// Requires that time does not go back, and that no more is left than was taken.
  void start(Time now, ClassId class_id, std::uint64_t part);
  void stop(Time now, ClassId class_id, std::uint64_t part);

  /// The average of each class since the last call, in tickets of a node that has `tickets`,
  /// rounded to the nearest; and begins a new period. By class; those with nothing are left out.
  std::vector<std::pair<ClassId, Tickets>> take(Time now, Tickets tickets);
  /// When this period began.
  Time begun() const { return begun_; }

 private:
  struct Class {
    ClassId class_id = 0;
    std::uint64_t part = 0;  ///< Occupied now.
    Wide occupied = 0;       ///< Millionths × nanoseconds, in this period.
  };

  void count(Time now);
  Class& of(ClassId class_id);

  std::vector<Class> classes_;  ///< By class.
  Time begun_;
  Time counted_;
};

}  // namespace dunlin::sched
