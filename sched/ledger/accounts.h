// SPDX-License-Identifier: MIT
#pragma once

#include "sched/kernel.h"
#include "sched/ledger/books.h"

// The accounts of classes, sorted by class and node. An account without a node is the class's
// account in the bank; one with a node is its local reserve there. An empty account is none.
namespace dunlin::sched::books {

/// The savings in one account; 0 if there is none.
Tickets savings_of(const State& state, ClassId class_id, MemberId node);

/// True if a deposit needs no new account, or there is room for one more.
bool can_put(const State& state, ClassId class_id, MemberId node);
/// Adds a deposit to an account, which it opens if need be. Requires can_put().
void put(State& state, ClassId class_id, MemberId node, const Deposit& added);

/// Ends what has expired by State::now, and closes accounts that are empty.
void expire_accounts(State& state);

}  // namespace dunlin::sched::books
