// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "node/control/json.h"
#include "overlay/result.h"
#include "sched/directory/directory.h"
#include "sched/frontend/job_state.h"

// Where the inputs of tasks are, as clients speak of it.
namespace dunlin::node {

/// Sets the inputs of a group, by the texts that a client gave: see sched::parse_input(). Fails
/// with `usage`, naming the text.
Result<void> set_inputs(sched::TaskGroup& group, const std::vector<std::string>& texts);

/// Finds out which nodes the names in the inputs of a job mean, as far as they are known here.
/// `self` is this node, which knows itself before its directory does.
void find_input_nodes(
    const sched::Directory& directory, const sched::NodeSpec& self, sched::Job& job);

/// Names in the inputs of a job that no known node has, at most 16 of them.
std::vector<std::string> unknown_input_nodes(const sched::Job& job);

/// The inputs of a group, and the nodes that have most of what waits; null if none has a place.
Json inputs_json(const sched::JobState& job, std::uint16_t group);

}  // namespace dunlin::node
