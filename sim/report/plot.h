// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "overlay/result.h"
#include "sim/engine/simulation.h"

namespace dunlin::sim {

/// Draws the distribution of the queueing delay as draw() does. `not_found` if there is no gnuplot;
/// nothing is drawn if nothing was measured.
Result<void> draw_delays(const Simulation& run, const std::string& base);

}  // namespace dunlin::sim
