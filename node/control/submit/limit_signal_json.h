// SPDX-License-Identifier: MIT
#pragma once

#include "node/control/json.h"
#include "node/message.h"
#include "overlay/time.h"

// The signal before a time limit, in the protocol.
namespace dunlin::node {

/// Reads it from the members of a group. `time_limit`: the group's own, 0 is none. What is wrong is
/// in `group`.
void parse_limit_signal(Args& group, overlay::Duration time_limit, TaskSpec& spec);

/// As a submit says it; nothing if there is none.
void put_limit_signal(Json& json, const TaskSpec& spec);

}  // namespace dunlin::node
