// SPDX-License-Identifier: MIT
#pragma once

#include "sched/kernel.h"
#include "sched/ledger/books.h"

// Commands of the books about nodes: a node brings its tickets (Mint), takes them away (Burn), and
// gives grants back early (Return). Each does all it says or nothing.
namespace dunlin::sched::books {

/// Nullptr if the books know no such node.
const Node* find_node(const State& state, MemberId node);
Node* find_node(State& state, MemberId node);
/// The tickets that a node has and does not grant; 0 if there is no such node.
Tickets pool_of(const State& state, MemberId node);

Outcome apply(State& state, const Mint& mint);
Outcome apply(State& state, const Burn& burn);
Outcome apply(State& state, const Return& returned);

/// Ends grants with a release that is over by State::now, and removes leaving nodes without grants.
void release_grants(State& state);

}  // namespace dunlin::sched::books
