// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sched/job.h"
#include "sched/task.h"

namespace dunlin::sched {

/// Something was decided for a group that waits for others of its job.
struct StageNews {
  std::uint16_t group = 0;
  /// All tasks of those have succeeded, and it may start; else one has ended otherwise, and it
  /// never will.
  bool met = false;
};

/// Which groups of a job wait for others of it: see TaskGroup::after. It counts how the tasks of
/// each group ended, so that no question walks over tasks. It follows from the states of the tasks
/// alone, and nothing of it is stored. A job without stages takes no memory here.
class Stages {
 public:
  /// No task has ended.
  explicit Stages(std::span<const TaskGroup> groups);

  /// True if any group waits, or has waited, for another.
  bool any() const { return !groups_.empty(); }
  /// True if no task of the group may be handed out yet.
  bool holds(std::uint16_t group) const { return any() && groups_[group].awaited > 0; }
  /// True if a task of a group that this one waits for ended otherwise than by success. That group
  /// may have waited in vain itself.
  bool is_missed(std::uint16_t group) const { return any() && groups_[group].missed > 0; }
  /// The tasks of a group that have not succeeded. Requires any().
  std::uint32_t left(std::uint16_t group) const { return groups_[group].left; }
  /// True if a task of the group ended otherwise than by success. Requires any().
  bool has_failed(std::uint16_t group) const { return groups_[group].failed > 0; }

  /// A task of the group changes state.
  void move(std::uint16_t group, TaskState from, TaskState to);
  /// What was decided since the last call.
  std::vector<StageNews> take_news();

 private:
  struct Group {
    std::vector<std::uint16_t> dependants;
    std::uint32_t left = 0;
    std::uint32_t failed = 0;   ///< Tasks that ended otherwise than by success.
    std::uint16_t awaited = 0;  ///< Groups that it waits for and that are not done, ...
    std::uint16_t missed = 0;   ///< ... or that have tasks which ended otherwise.
  };

  std::vector<Group> groups_;  ///< None if no group waits for another.
  std::vector<StageNews> news_;
};

}  // namespace dunlin::sched
