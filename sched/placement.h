// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "overlay/neighbour.h"
#include "sched/kernel.h"
#include "sched/message.h"

// Whom to ask, and where a reservation walks on. See the design, section 5: random hops never herd;
// greedy ones find rare capacity fast while the gradient is fresh.
namespace dunlin::sched {

/// What a peer knows of its surroundings at this moment: the neighbours of both views, and itself.
/// Most calls need none of it, so it is gathered when first asked for.
class Surroundings {
 public:
  using Nodes = std::vector<overlay::Neighbour>;
  /// Puts different nodes, sorted by id, into both: all that are known, and those of them that are
  /// a uniform sample of the cluster. Neighbours of the gradient are none: where all are idle, they
  /// are those next to us, and a walk along them would go in circles.
  using Gather = std::function<void(Nodes& known, Nodes& random)>;

  explicit Surroundings(Gather gather) : gather_(std::move(gather)) {}
  /// All of them are random ones.
  explicit Surroundings(Nodes known) : known_(std::move(known)), random_(known_) {}

  std::span<const overlay::Neighbour> known() const {
    gather();
    return known_;
  }
  std::span<const overlay::Neighbour> random() const {
    gather();
    return random_;
  }

 private:
  void gather() const {
    if (gather_) std::exchange(gather_, nullptr)(known_, random_);
  }

  mutable Gather gather_;
  mutable Nodes known_;
  mutable Nodes random_;
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
/// A random node that could fit, else any not visited; empty if all are visited.
std::optional<Hop> random_hop(const Surroundings& around, const Wanted& wanted, Rng& rng);

/// The targets of many reservations at once: each gets a node of its own, as far as there are
/// enough; then a second round begins. Random ones are drawn from the surroundings and from
/// `others`, greedy ones from the surroundings, which are fresher. What it is given must outlive
/// it. Source: Ousterhout 2013, section 3.3 (batch sampling).
class BatchSample {
 public:
  /// `held`: nodes that hold a reservation already.
  BatchSample(const Surroundings& around,
      std::span<const overlay::Neighbour> others,
      const Wanted& wanted,
      std::vector<std::uint64_t> held);

  /// Empty if nobody is known at all.
  std::optional<Hop> draw(const Walk& walk, Rng& rng);

 private:
  /// Sorts out who may be drawn in this round.
  void begin_round();
  std::optional<Hop> draw_random(Rng& rng);

  const Surroundings& around_;
  std::span<const overlay::Neighbour> others_;
  Wanted wanted_;
  std::vector<std::uint64_t> used_;                   ///< In this round.
  std::vector<const overlay::Neighbour*> fitting_;    ///< Could hold it, as far as is known ...
  std::vector<const overlay::Neighbour*> unfitting_;  ///< ... and those that may know better.
};

}  // namespace dunlin::sched
