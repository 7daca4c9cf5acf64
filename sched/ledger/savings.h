// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "sched/kernel.h"
#include "sched/ledger/books.h"

// The deposits of an account: tickets with the time at which they expire, the first to expire
// first.
// Source: CS 736 slides, "Bank Account Mechanism".
namespace dunlin::sched::books {

Tickets sum_of(const std::vector<Deposit>& deposits);

/// Adds a deposit. At most `count_max` are kept: beyond that, the two that expire first become one
/// that expires as the earlier did. So no ticket lives longer than it was to.
void deposit(std::vector<Deposit>& deposits, const Deposit& added, std::size_t count_max);

/// Takes `tickets` out, the oldest first. Requires that the deposits hold as many.
std::vector<Deposit> draw(std::vector<Deposit>& deposits, Tickets tickets);

/// Removes the deposits that have expired by `now`, and returns their sum.
Tickets expire(std::vector<Deposit>& deposits, Time now);

}  // namespace dunlin::sched::books
