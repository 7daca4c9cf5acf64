// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "sim/engine/simulation.h"

namespace dunlin::sim {

/// The sharing of the cluster; empty without classes. A condition that had not come true by the end
/// is null, and `censored` says for how many seconds it was waited for.
nlohmann::ordered_json sharing_json_of(const Simulation& run);

}  // namespace dunlin::sim
