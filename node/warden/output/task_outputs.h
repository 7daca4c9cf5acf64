// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include "node/warden/output/task_output.h"

namespace dunlin::node::warden {

/// The output of all tasks, on its way into files. What the tasks write is noticed here; a thread
/// of its own moves it, because a slow disk must not keep this one from starting and ending tasks.
class TaskOutputs {
 public:
  TaskOutputs();
  ~TaskOutputs();
  TaskOutputs(const TaskOutputs&) = delete;
  TaskOutputs& operator=(const TaskOutputs&) = delete;

  /// Streams that write much do it slowly while their disk has less room; 0: never.
  void leave_room(std::uint64_t bytes);
  /// The task `id` runs. `output` may be null: none of it is kept here.
  void add(std::uint64_t id, std::shared_ptr<TaskOutput> output);
  /// A descriptor that is readable when on_ready() has something to do.
  int descriptor() const;
  /// Looks what tasks have written. True if the output of a task is in its files, for which
  /// finish() was told to wait.
  bool on_ready();
  /// No process of the task is left: true if all that it wrote is in its files, and it is
  /// forgotten. Otherwise on_ready() tells when it is worth asking again.
  bool finish(std::uint64_t id);
  /// What became of the streams of a task.
  struct Outcome {
    int failed = 0;  ///< The errno with which its files were not written, or 0.
    std::array<std::uint64_t, TaskOutput::kStreams> bytes{};  ///< Moved into each.
  };
  /// It is forgotten, whatever is missing.
  Outcome forget(std::uint64_t id);

 private:
  struct Shared;
  struct Entry;

  std::shared_ptr<Shared> shared_;  ///< With the thread, which never ends.
  std::map<std::uint64_t, std::shared_ptr<Entry>> entries_;
};

}  // namespace dunlin::node::warden
