// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "overlay/result.h"

namespace dunlin::cli {

/// Becomes another program of ours, such as `dunlin-agent`, with the same words and the same
/// process id: so the agent's libraries are loaded for agents alone. Returns only to fail, naming
/// the cure.
Result<int> become(char** argv, const std::string& program);

}  // namespace dunlin::cli
