// SPDX-License-Identifier: MIT
#pragma once

#include "node/control/json.h"
#include "node/message.h"

namespace dunlin::node {

/// The words of `spec`'s command, or the arguments of its script, each exactly as it was submitted:
/// bytes_json() of it.
Json command_json(const TaskSpec& spec);

}  // namespace dunlin::node
