// SPDX-License-Identifier: MIT
#pragma once

#include "sched/packing/dimensions.h"
#include "sched/packing/rules.h"

namespace dunlin::sched::packing {

/// The higher, the better. Requires that all have the dimensions of one node.
double score(ScoreName name, const Shares& demand, const Shares& free, const Shares& weights);

/// `score`, less the part `penalty` in [0, 1) of it: of a task that has its input elsewhere. A
/// score of 0 or less falls, too. Source: Grandl 2014 (slide 25).
double penalised(double score, double penalty);

/// Weights by scarcity: the busiest resource has 1, others the power `power` of what they are to
/// be used for, as a part of that. `backlog` is the work that waits, in node-seconds. Power 0: all
/// weigh alike, as in the paper. Weights are ours.
Shares scarcity_weights(const Shares& backlog, double power);

}  // namespace dunlin::sched::packing
