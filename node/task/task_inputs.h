// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

#include "overlay/result.h"
#include "sched/turn.h"

namespace dunlin::node {

/// What clients give to tasks of this node to read. Such a task has one client, which *attaches*
/// itself to an attempt. If it leaves before the end of the input, or none comes within a minute,
/// the attempt is ended as failed: half of its input must not look like all of it.
class TaskInputs {
 public:
  struct State {
    bool running = false;
    std::uint64_t taken = 0;  ///< Bytes that the task, or the buffer of its pipe, has taken.
    bool closed = false;      ///< It reads no more.
  };

  virtual ~TaskInputs() = default;

  /// Fails with `not_found` if the attempt does not run here, perhaps not yet; with `conflict` if
  /// it reads nothing of clients, has one, or had one when this agent was not there.
  virtual Result<void> attach(const sched::TaskId& task, std::uint32_t attempt) = 0;
  /// The client has left. Nothing happens if the attempt has ended, or its input has.
  virtual void detach(const sched::TaskId& task, std::uint32_t attempt) = 0;
  /// More of its input, at once, whether or not the task reads it: the caller bounds what is not
  /// taken yet. `end`: there is no more.
  virtual void feed(
      const sched::TaskId& task, std::uint32_t attempt, std::string_view data, bool end) = 0;
  virtual void resize(const sched::TaskId& task,
      std::uint32_t attempt,
      std::uint16_t rows,
      std::uint16_t columns) = 0;
  virtual State state(const sched::TaskId& task, std::uint32_t attempt) const = 0;
};

}  // namespace dunlin::node
