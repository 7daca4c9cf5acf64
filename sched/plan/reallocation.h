// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "sched/plan/division.h"

namespace dunlin::sched {

/// Names the nodes of a division's slots, and keeps for each job as many of the slots that it held
/// as its new number allows. No division of the same numbers moves fewer. Returns allotments by
/// job, then by node, in the order handed in; adds the held slots that change their job to `moved`.
/// Source: Lin 2014, figure 3.2.
std::vector<Allotment> reallocate(const Division& division,
    std::span<const PlanWorker> workers,
    std::span<const Allotment> held,
    std::uint32_t& moved);

}  // namespace dunlin::sched
