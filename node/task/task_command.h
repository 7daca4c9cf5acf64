// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "node/message.h"
#include "node/task/devices.h"
#include "node/warden/protocol.h"
#include "overlay/result.h"
#include "sched/turn.h"

namespace dunlin::node {

/// Where on this node a task runs.
struct TaskPlace {
  std::string node;  ///< The node's name.
  std::uint32_t slot = 0;
  std::string scratch;   ///< Its working directory, if it names none.
  std::string script{};  ///< The file of its script, if it has one.
  std::string live_out;  ///< Its output, unless it names files of its own.
  std::string live_err;
  std::int64_t now_ns = 0;             ///< Wall clock, ns since 1970.
  std::vector<TaskDevices> devices{};  ///< Of each resource of devices, also none of it.
  bool has_gpus = false;               ///< The node has devices "gpu", be they its own or not.
};

/// The variables that every task gets from the agent's own environment: PATH, HOME, LANG, USER.
std::map<std::string, std::string> base_environment();

/// The start of `launch` for the warden, with the decoded `spec`; `id` is left 0. Placeholders are
/// filled in in words, directory and paths; never in variables, which may have come from a shell
/// wholesale. Variables: `base`, overridden by the spec's, overridden by DUNLIN_... Fails with
/// `usage` if a placeholder is unknown or the words are longer than a command may be.
Result<warden::Start> make_start(const sched::Launch& launch,
    const TaskSpec& spec,
    const TaskPlace& place,
    const std::map<std::string, std::string>& base);

}  // namespace dunlin::node
