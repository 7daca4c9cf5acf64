// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "node/control/json.h"
#include "sched/task.h"

namespace dunlin::node {

/// The tasks of a job counted by state, in ranges of neighbours that are equally wide: what a strip
/// of a screen shows. It takes the same room for a million tasks as for a thousand.
class TaskBins {
 public:
  using Counts = std::array<std::uint32_t, sched::kTaskStates>;

  /// Of a job of so many tasks, in at most so many ranges. Requires at least one range.
  TaskBins(std::uint32_t tasks, std::uint32_t bins_max);

  /// Counts a task. Requires that the job has it.
  void add(std::uint32_t index, sched::TaskState state);

  /// Tasks of a range; of the last one there may be fewer.
  std::uint32_t width() const { return width_; }
  std::size_t size() const { return counts_.size(); }
  const Counts& counts(std::size_t bin) const { return counts_[bin]; }
  /// Of all ranges together.
  Counts sum() const;
  /// A list of TaskBin of docs/design/control-protocol.md.
  Json json() const;

 private:
  std::uint32_t tasks_;
  std::uint32_t width_;
  std::vector<Counts> counts_;
};

/// Counts in the words of the protocol.
Json task_counts_json(const TaskBins::Counts& counts);

}  // namespace dunlin::node
