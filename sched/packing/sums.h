// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "sched/kernel.h"
#include "sched/message.h"

namespace dunlin::sched::packing {

/// Adds `count` × `demand`. A sum is never below 0 and never beyond its numbers; one that lists as
/// many custom resources as it can takes no further one.
void add(ResourceSums& sums, const Resources& demand, double count);

/// Adds the work of `count` tasks of `demand` that take so long each; takes it away if `count` is
/// below 0.
void add_work(ResourceSums& sums, const Resources& demand, double count, Duration each);

}  // namespace dunlin::sched::packing
