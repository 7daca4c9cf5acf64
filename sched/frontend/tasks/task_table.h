// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "sched/frontend/tasks/task_attempts.h"
#include "sched/task.h"

namespace dunlin::sched {

/// One task, for its whole life.
struct TaskEntry {
  TaskState state = TaskState::waiting;
  bool recorded = false;              ///< It has a result of its own in the store.
  Outcome outcome = Outcome::exited;  ///< Of its result, if it failed.
  std::uint8_t exit = 0;              ///< Likewise the status that a shell would show.
  TaskAttempts attempts;

  /// It has this result.
  void end(Outcome with, std::int32_t status) {
    outcome = with;
    exit = static_cast<std::uint8_t>(std::clamp(shell_status(with, status), 0, 255));
  }
  friend bool operator==(const TaskEntry&, const TaskEntry&) = default;
};

/// The tasks of one job, by index. All of them wait at first. Memory: 24 bytes for each kRun tasks
/// as long as these are equal, 16 bytes for each of them once one was changed: so a million that
/// wait take 24 KiB.
class TaskTable {
 public:
  explicit TaskTable(std::uint32_t count);
  /// All of them have ended so.
  TaskTable(std::uint32_t count, TaskState ended) : TaskTable(count) {
    for (Run& run : runs_) run.all.state = ended;
  }

  std::uint32_t size() const { return count_; }
  /// Requires index < size().
  const TaskEntry& operator[](std::uint32_t index) const {
    const Run& run = runs_[index / kRun];
    return run.each == nullptr ? run.all : run.each[index % kRun];
  }
  /// To change it; it stays in its place until compact(). Requires index < size().
  TaskEntry& edit(std::uint32_t index);
  /// Calls `act(entry, count)` for all tasks, in order: so many neighbours are like that entry.
  void for_each(auto&& act) const {
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const Run& run = runs_[i];
      if (run.each == nullptr) {
        act(run.all, length_of(i));
      } else {
        for (std::uint32_t k = 0; k < length_of(i); ++k) act(run.each[k], std::uint32_t{1});
      }
    }
  }
  /// Gives back the memory of runs whose tasks are equal by now.
  void compact();

  /// Neighbours that share memory.
  static constexpr std::uint32_t kRun = 1024;

 private:
  struct Run {
    TaskEntry all{};                      ///< What each of them is, ...
    std::unique_ptr<TaskEntry[]> each{};  ///< ... unless they are here.
  };
  std::uint32_t length_of(std::size_t run) const;

  std::uint32_t count_;
  std::vector<Run> runs_;
};

}  // namespace dunlin::sched
