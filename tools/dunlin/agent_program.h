// SPDX-License-Identifier: MIT
#pragma once

#include "overlay/result.h"

namespace dunlin::cli {

/// Becomes the program `dunlin-agent`, with the same words and the same process id: so the agent's
/// libraries are loaded for agents alone. Returns only to fail, naming the cure.
Result<int> become_agent_program(char** argv);

}  // namespace dunlin::cli
