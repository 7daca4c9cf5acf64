// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sched/job.h"

namespace dunlin::node {

/// Where the next page of a node's tasks begins: behind a task that runs, or behind so many that
/// wait. Clients hand its text back as they got it.
struct TasksCursor {
  enum class Part : std::uint8_t { running, asking, queued, end };
  Part part = Part::running;
  bool begins = false;        ///< Behind `after`; else with the first of `part`.
  sched::AttemptKey after{};  ///< Of tasks that run.
  std::size_t count = 0;      ///< Of others: so many are told.
  friend bool operator==(const TasksCursor&, const TasksCursor&) = default;
};

/// Bytes of the text of one, at most.
inline constexpr std::size_t kTasksCursorMax = 96;

std::string to_text(const TasksCursor& cursor);
/// Of no text the beginning. Empty if `text` is none that to_text() makes.
std::optional<TasksCursor> read_tasks_cursor(std::string_view text);

}  // namespace dunlin::node
