// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <string>

#include "sched/peer.h"

// Invariants of peers between any two turns, as pure functions. Tests check them after every step.
namespace dunlin::sched {

/// The first invariant of one peer that does not hold, in words; empty if all do:
/// - a worker's free resources, those of its tasks and those held for answers make up its total;
/// - an attempt runs at most once, and at most one answer is awaited under a request number;
/// - views hold neither the peer itself nor anyone twice, and no more than their size;
/// - each task of a job is in exactly one place (waiting, bound or final), as its counts say;
/// - a frontend knows what its jobs wait for, and hears of each job that they wait for;
/// - no plan gives more slots than there are, or than a job can use: see Planner.
std::optional<std::string> broken_invariant(const Peer& peer);

/// The first invariant across `peers` that does not hold: an attempt of a task runs at one worker.
std::optional<std::string> broken_invariant(std::span<const Peer* const> peers);

}  // namespace dunlin::sched
