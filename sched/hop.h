// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "overlay/neighbour.h"
#include "sched/kernel.h"
#include "sched/message.h"
#include "sched/surroundings.h"

// One hop of a reservation, chosen from what a node knows of others. Frontends choose the first hop
// and workers all later ones. See the design, section 5.
namespace dunlin::sched {

/// One step of a walk.
struct Hop {
  Endpoint to;
  bool greedy = false;  ///< True if it goes to the best node known, not to a random one.
};

/// The purpose of a hop.
struct Wanted {
  const Resources& demand;
  const Signature& signature;
  std::span<const std::uint64_t> visited;  ///< Ids to which it must not go again.
  HopRank rank = HopRank::room;            ///< The best of the nodes that have room.
};

/// Draws a hop as `walk.rule` says. Prefers nodes that are large enough and may satisfy the
/// constraints. Falls back to any node not visited, since that one may know better. Empty if all
/// are visited.
std::optional<Hop> draw_hop(
    const Surroundings& around, const Wanted& wanted, const Walk& walk, Rng& rng);

/// The best of the nodes that have room, as believed now; empty if none is believed to have any. By
/// HopRank::room it is the one with the most room by `around.utility()`.
std::optional<Hop> best_hop(const Surroundings& around, const Wanted& wanted);
/// A random node that could fit, else any not visited; empty if all are visited.
std::optional<Hop> random_hop(const Surroundings& around, const Wanted& wanted, Rng& rng);

/// True if the owner of the statement `node` is sick: it says then that it has nothing at all.
constexpr bool is_sick(const overlay::Descriptor& node) {
  return node.cpu_total == 0 && node.memory_total == 0;
}

/// True if `node` is well, large enough when idle, and may have all attributes, as far as its
/// owner's statement tells (rates roughly: sched/packing/rate_bits.h). Custom resources and
/// comparisons show only at the worker.
bool could_fit(const Wanted& wanted, const overlay::Descriptor& node);
/// True if the next hop of a walk goes to the best node known. Draws only if both may happen.
bool draw_greedy(const Walk& walk, Rng& rng);

}  // namespace dunlin::sched
