// SPDX-License-Identifier: MIT
#pragma once

#include "sched/ledger/books.h"

namespace dunlin::sched::books {

/// A manager's allocation of one period: sheets that say what each node grants to each class, what
/// classes save, and what they draw from their savings. All of it is applied, or nothing. Fails
/// with `old_period` unless the period is a later one, with `over_committed` if a node would grant
/// or save more than it has, with `insufficient` if a class would draw more than it saved.
Outcome apply(State& state, const Allocate& allocate);

}  // namespace dunlin::sched::books
