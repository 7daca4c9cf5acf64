// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "sched/ledger/books_types.h"
#include "sched/sharing/matrix.h"

namespace dunlin::sched {

/// The bounds within which both steps of Cluster Reserves allocate. All amounts are tickets.
struct ReservesProblem {
  std::vector<Tickets> tickets;  ///< T: row i adds up to no more.
  std::vector<Tickets> desired;  ///< T_total × D of each class; adds up to the sum of `tickets`.
  Matrix<Tickets> caps;          ///< The most that class j gets on node i.
};

/// Step 1, the linear program: the least sum over j of |sum over i of x_ij - desired_j|, where x_ij
/// is at most its cap and row i at most T_i. The result is whole, since all bounds are. Empty if
/// the solver gives up. Source: CS 736 slides, (1); Aron, Druschel and Zwaenepoel 2000.
std::optional<Tickets> min_deviation(const ReservesProblem& problem);

}  // namespace dunlin::sched
