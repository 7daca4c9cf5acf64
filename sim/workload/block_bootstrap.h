// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "overlay/rng.h"
#include "sim/workload/trace_format.h"

namespace dunlin::sim {

/// As many jobs as `jobs`, which come in the order of time, made of blocks of `block` consecutive
/// ones that are drawn with replacement: another trace that might have been recorded, as far as
/// jobs have to do with each other within a block alone. After the last job a block goes on with
/// the first.
///
/// Gaps between arrivals stay as they were within a block; a block begins as long after the one
/// before it as its first job came after its predecessor. A job that is drawn twice is two jobs, of
/// two families; parents outside of the block are dropped, for nothing says when they ended.
/// `block` is above 0.
/// Circular block bootstrap: Politis and Romano 1992.
std::vector<TraceJob> block_bootstrap(
    const std::vector<TraceJob>& jobs, std::uint64_t block, overlay::Rng rng);

}  // namespace dunlin::sim
