// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "node/task/task_about.h"
#include "node/task/task_inputs.h"
#include "overlay/result.h"

// The tasks of an agent that is not there.
namespace dunlin::node {

/// A task that reads what a test lets it.
class KeptInputs final : public TaskInputs {
 public:
  Result<void> attach(const sched::TaskId&, std::uint32_t) override {
    if (!now.running) return failure(ErrorKind::not_found, "the task does not run here");
    ++attached;
    return {};
  }
  void detach(const sched::TaskId&, std::uint32_t) override { --attached; }
  void feed(const sched::TaskId&, std::uint32_t, std::string_view data, bool end) override {
    given += data;
    ended = ended || end;
  }
  void resize(
      const sched::TaskId&, std::uint32_t, std::uint16_t rows, std::uint16_t columns) override {
    size = {rows, columns};
  }
  State state(const sched::TaskId&, std::uint32_t) const override { return now; }

  State now;
  int attached = 0;
  std::string given;
  bool ended = false;
  std::pair<std::uint16_t, std::uint16_t> size{};
};

/// What a test says of tasks, whichever run.
class KeptTasks final : public TasksHere {
 public:
  std::optional<Told> about(const sched::TaskId& task, std::uint32_t) const override {
    const auto found = told.find(task.index);
    return found == told.end() ? std::nullopt : std::optional(found->second);
  }
  std::map<std::uint32_t, Told> told;  ///< By index.
};

}  // namespace dunlin::node
