// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "overlay/message.h"
#include "sched/message.h"
#include "sched/resources.h"

// Rates of disk and network as gossip tells them: 8 bits for each, in the order of kRates, so that
// a statement stays short. What is told is never less than what there is, by an eighth more at
// most: nobody passes by a node that would do. Its worker, which knows exactly, decides.
namespace dunlin::sched {

/// What `total` declares; 0 if it declares no rate.
std::uint32_t rates_total_bits(const Resources& total);
/// The part of `total` that is taken if `free` is left of it; 0 if nothing is.
std::uint32_t rates_used_bits(const Resources& free, const Resources& total);

/// All that the node has when it is idle, as far as gossip tells: rates that it does not declare
/// are 0, custom resources are left out.
Resources told_total(const overlay::Descriptor& node);
/// What is free on it: of rates that it does not declare kUnlimited.
Resources told_free(const overlay::Descriptor& node);

/// True if the rates of `demand` fit what is free on `node` ...
bool rates_fit(const Resources& demand, const overlay::Descriptor& node);
/// ... or all that it has.
bool rates_could_fit(const Resources& demand, const overlay::Descriptor& node);

}  // namespace dunlin::sched
