// SPDX-License-Identifier: MIT
#pragma once

#include "sched/sharing/solver.h"

namespace dunlin::sched {

/// Step 2 of Cluster Reserves in whole tickets. Among all allocations x with row i at most T_i,
/// column j at most desired_j, x_ij at most its cap, and a sum of `total`, it finds one with the
/// least sum over i and j of ((x_ij - ideal_ij) / T_i)^2. Exact: no exchange of a ticket makes the
/// sum less. If so many tickets cannot be placed, it places as many as can be.
///
/// That is a flow of least convex cost: it starts from the ideal cut to fit, then moves 2^k tickets
/// at a time, then half as many and so on, along the cheapest paths and around cycles that save.
/// There are only as many places to move between as classes and two more, so this takes
/// milliseconds (Clp's quadratic simplex takes longer and stops short of the optimum). Source:
/// Ahuja, Magnanti and Orlin 1993, section 14.5 (capacity scaling).
Matrix<Tickets> closest_flow(
    const ReservesProblem& problem, const Matrix<double>& ideal, Tickets total);

/// The largest `total` for which closest_flow() places every ticket.
Tickets flow_max(const ReservesProblem& problem);

}  // namespace dunlin::sched
