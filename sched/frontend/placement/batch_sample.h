// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sched/hop.h"

namespace dunlin::sched {

/// The targets of many reservations at once. Each gets a node of its own as long as there are
/// enough; then a second round begins. Random ones are drawn from the surroundings and from
/// `others`, greedy ones from the surroundings, which are fresher. The arguments must outlive it.
/// Source: Ousterhout 2013, section 3.3 (batch sampling).
class BatchSample {
 public:
  /// `held`: nodes that hold a reservation already. `closed`: nodes that are never drawn.
  BatchSample(const Surroundings& around,
      std::span<const overlay::Neighbour> others,
      const Wanted& wanted,
      std::vector<std::uint64_t> held,
      std::vector<std::uint64_t> closed = {});

  /// Empty if no node is known at all.
  std::optional<Hop> draw(const Walk& walk, Rng& rng);

 private:
  /// Collects the nodes that may be drawn in this round.
  void begin_round();
  std::optional<Hop> draw_random(Rng& rng);

  const Surroundings& around_;
  std::span<const overlay::Neighbour> others_;
  Wanted wanted_;
  std::vector<std::uint64_t> closed_;
  std::vector<std::uint64_t> used_;  ///< Nodes drawn in this round, and the closed ones.
  /// Nodes that could hold it, as far as is known ...
  std::vector<const overlay::Neighbour*> fitting_;
  std::vector<const overlay::Neighbour*> unfitting_;  ///< ... and nodes that may know better.
};

}  // namespace dunlin::sched
