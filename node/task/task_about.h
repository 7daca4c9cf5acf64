// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "node/message.h"
#include "node/task/devices.h"
#include "node/task/running_use.h"
#include "sched/turn.h"

// What a task that runs here is, for people. The scheduling layer carries a task without a look at
// it; only the agent that starts it reads it, and leaves this for those that ask.
namespace dunlin::node {

/// Bytes of a command that are kept beside its task, and the words of it.
inline constexpr std::size_t kCommandShown = 200;
inline constexpr std::size_t kWordsShown = 16;

struct TaskAbout {
  std::string owner;     ///< Of its job. Empty: not known, for an earlier build started it.
  std::string job_name;  ///< Likewise.
  /// The first words of its command. One that is too long ends in "...", and so does the list.
  std::vector<std::string> command;
  friend bool operator==(const TaskAbout&, const TaskAbout&) = default;
};

TaskAbout about_task(const sched::Launch& launch, const TaskSpec& spec);

/// The tasks that run on this node, beyond what its worker knows of them.
class TasksHere {
 public:
  struct Told {
    TaskAbout about;
    std::uint32_t slot = 0;
    std::vector<TaskDevices> devices;
    std::optional<RunningUse> use;  ///< Empty: it is not measured.
  };

  virtual ~TasksHere() = default;

  /// Empty if the attempt does not run here: not yet, or it has ended.
  virtual std::optional<Told> about(const sched::TaskId& task, std::uint32_t attempt) const = 0;
};

}  // namespace dunlin::node
