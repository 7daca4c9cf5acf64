// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>

#include "overlay/neighbour.h"
#include "sched/kernel.h"
#include "sched/message.h"

// Whom to ask, and where a reservation walks on. See the design, section 5: random hops never herd;
// greedy ones find rare capacity fast while the gradient is fresh.
namespace dunlin::sched {

/// What a peer knows of its surroundings at this moment: the neighbours of both views, and itself.
struct Surroundings {
  std::span<const overlay::Neighbour> known;  ///< Distinct, sorted by id, ourselves among them.
  Time now;
};

/// One step of a walk.
struct Hop {
  Endpoint to;
  bool greedy = false;  ///< To the best node known, not to a random one.
};

/// What a hop is wanted for.
struct Wanted {
  const Resources& demand;
  const Signature& signature;
  std::span<const std::uint64_t> visited;  ///< Ids never to go to again.
};

/// Draws a hop as `walk.placement` says. Prefers nodes large enough that may satisfy the
/// constraints; falls back to any node not visited, since that one may know better. Empty if all
/// are visited.
std::optional<Hop> draw_hop(
    const Surroundings& around, const Wanted& wanted, const Walk& walk, Rng& rng);

/// The fitting node with the most room, as believed now; empty if none is believed to fit.
std::optional<Hop> best_hop(const Surroundings& around, const Wanted& wanted);
/// A uniformly drawn node that could fit, else any not visited; empty if all are visited.
std::optional<Hop> random_hop(const Surroundings& around, const Wanted& wanted, Rng& rng);

}  // namespace dunlin::sched
