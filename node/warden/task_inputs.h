// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <poll.h>
#include <span>
#include <string>
#include <vector>

#include "node/warden/input_protocol.h"
#include "node/warden/task_input.h"

namespace dunlin::node::warden {

/// The inputs of all tasks that are fed. A start, and then its task, own each; here they are found
/// by the task's id, and polled.
class TaskInputs {
 public:
  /// Opens the input that `start` asks for; null if it reads a file, or nothing. Fails with the
  /// system's code.
  Result<std::shared_ptr<TaskInput>> open(const Start& start);

  /// Of a task that has ended it is dropped.
  void feed(const Feed& feed);
  void resize(const Resize& resize);
  /// Appends what is to be polled.
  void watch(std::vector<pollfd>& polled);
  /// Acts on what watch() appended last, now with its results.
  void on_polled(std::span<const pollfd> polled);
  /// Appends a Fed for each task that took more since the last call.
  void tell(std::string& out);
  /// Another agent listens from now on: it is told of all of them, and of which it has no more to
  /// give, because an earlier agent gave the end.
  void tell_all() {
    for (auto& [id, entry] : entries_) entry.untold = true;
  }

 private:
  struct Entry {
    std::weak_ptr<TaskInput> input;
    std::uint64_t told = 0;
    bool told_closed = false;
    bool untold = false;  ///< The agent of today knows nothing of it.
  };
  std::shared_ptr<TaskInput> find(std::uint64_t id) const;

  std::map<std::uint64_t, Entry> entries_;
  std::vector<std::weak_ptr<TaskInput>> watched_;
};

}  // namespace dunlin::node::warden
