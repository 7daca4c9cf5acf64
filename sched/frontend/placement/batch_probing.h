// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "sched/frontend/placement/placement.h"

// The two steps that placements are made of.
namespace dunlin::sched {

/// Batch probing: as many reservations more as make ceil(ratio × waiting tasks), each to a node of
/// its own and within `params.probes_max`. Empty if so many are out. Source: Ousterhout 2013,
/// sections 3.2 and 3.3; that the ratio grows while the cluster is full is ours.
std::optional<Batch> fill_up(
    const FrontendParams& params, const Need& need, const Known& known, const Walk& walk, Rng& rng);

/// A look elsewhere, once all reservations of the group wait: a few more, each to a node that is
/// known to have room. Empty if some still walk, because they may find what there is.
std::optional<Batch> look_elsewhere(
    const FrontendParams& params, const Need& need, const Known& known, const Walk& walk);

}  // namespace dunlin::sched
