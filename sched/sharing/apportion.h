// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "overlay/result.h"
#include "sched/ledger/books_types.h"

// Splitting whole tickets so that nothing is lost by rounding: a reader that adds the parts up gets
// the total again, to the ticket.
namespace dunlin::sched {

/// Splits `total` in proportion to `weights` by largest remainders; the first of two equal
/// remainders wins, so every replica splits alike. The parts add up to `total`, or all are 0 if all
/// weights are. Requires nothing negative.
std::vector<Tickets> apportion(Tickets total, std::span<const Tickets> weights);

/// The same with no part above its cap: what does not fit goes to the others. The parts add up to
/// the lesser of `total` and the caps of those with a weight.
std::vector<Tickets> apportion(
    Tickets total, std::span<const Tickets> weights, std::span<const Tickets> caps);

/// Whole weights of desired shares such as 0.5, 25 (per cent) or any other unit: only their
/// proportion counts. Fails with `usage` if one is negative or not a number, or all are 0.
Result<std::vector<Tickets>> weights_of(std::span<const double> shares);

}  // namespace dunlin::sched
