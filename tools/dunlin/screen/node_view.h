// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>

#include "tools/dunlin/json.h"
#include "tools/dunlin/screen/terminal.h"

namespace dunlin::cli {

/// What was asked about one node.
struct NodeLook {
  Json node;   ///< The answer to `node`.
  Json tasks;  ///< That of `node_tasks`, with the tasks of all pages that were read; null: none.
  std::string tasks_error;  ///< Why there is none.
  Json past{};              ///< The answer to `past`; null: none.
};

/// Lines of tasks on a screen, unless all are asked for.
inline constexpr std::size_t kNodeTasksShown = 20;

/// All about one node: how it is, what it offers and which tasks have it, and the tasks that run
/// there. In lines of at most 100 columns, less on a narrower terminal.
std::string node_view(const NodeLook& look, bool all_tasks, const Terminal& terminal);

}  // namespace dunlin::cli
