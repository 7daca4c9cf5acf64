// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "node/control/json.h"

namespace dunlin::node {

/// Members of a submit that say nothing to this agent, by their places: "groups[0].cpus". At most
/// 16 of them. A typing error in a limit would else be noticed when the limit is missed.
std::vector<std::string> ignored_members(const Json& request);

}  // namespace dunlin::node
