// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "sched/sharing/solver.h"

namespace dunlin::testing {

/// Step 2 of Cluster Reserves by Clp's quadratic simplex, in fractions of tickets: the least sum of
/// squares it finds with `placed` tickets in all. Empty if it gives up. Not exact.
std::optional<double> clp_distance(const sched::ReservesProblem& problem,
    const sched::Matrix<double>& ideal,
    sched::Tickets placed);

}  // namespace dunlin::testing
