// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include "sched/frontend/placement/demand_class.h"
#include "sched/message.h"

namespace dunlin::sched {

/// The measured success of greedy hops, by class of demand: `adaptive` placement steers by it. A
/// greedy hop succeeds if the node it led to could start the task at once. Source: design, section
/// 5; facts on the herd effect (share = 1 - failed / tried).
class GreedySuccess {
 public:
  void learn(DemandClass demand, const Walk& walk);
  /// The share of hops that should be greedy, within [floor, cap].
  double share(DemandClass demand, double floor, double cap) const;

 private:
  struct Tally {
    double hops = 2;  ///< A prior worth two hops, one of them good.
    double hits = 1;
  };
  std::array<Tally, kDemandClasses> tallies_{};
};

}  // namespace dunlin::sched
