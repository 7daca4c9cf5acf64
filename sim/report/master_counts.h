// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "sim/engine/simulation.h"
#include "sim/measure/allocation.h"

namespace dunlin::sim {

/// What masters did in a run, together, as far as those know that exist at its end. Empty if no
/// frontend is a global master.
std::optional<MasterCounts> master_counts(const Simulation& run);

}  // namespace dunlin::sim
