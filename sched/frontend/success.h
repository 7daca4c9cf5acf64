// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>

#include "sched/kernel.h"
#include "sched/message.h"

namespace dunlin::sched {

/// How well greedy hops have lately done, for each class of demand: what `adaptive` placement
/// steers by. A greedy hop succeeds if the node it led to could start the task at once. Source:
/// design, section 5; facts on the herd effect (share = 1 - failed / tried).
class GreedySuccess {
 public:
  /// Demands are alike if they take a like part of a typical node.
  enum class DemandClass : std::uint8_t { small, medium, large, special };
  static constexpr std::size_t kClasses = 4;

  /// `typical` is a node's capacity; `special` demands name custom resources or constraints.
  static DemandClass classify(const Resources& demand, bool constrained, const Resources& typical);

  void learn(DemandClass demand, const Walk& walk);
  /// The share of hops that should be greedy, within [floor, cap].
  double share(DemandClass demand, double floor, double cap) const;

 private:
  struct Tally {
    double hops = 2;  ///< A prior worth two hops, one of them good.
    double hits = 1;
  };
  std::array<Tally, kClasses> tallies_{};
};

}  // namespace dunlin::sched
