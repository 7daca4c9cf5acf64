// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include "sched/frontend/placement/batch_probing.h"

namespace dunlin::sched {

/// The placement of the ID2210 paper: Sparrow's batch sampling, with neighbours of the gradient for
/// samples. It draws among them by chance, and looks at nothing that is known of their room. In the
/// paper no reservation walks on: `hops_max` = 0. Its nodes are all alike, ours are not: where no
/// such neighbour could ever take the task, or one refused it for good, any node known may be
/// drawn. Source: ID2210, sections 2.3 and 3.1; that no task is left without a node is ours.
class TManPlacement final : public Placement {
 public:
  explicit TManPlacement(const FrontendParams& params) : params_(params) {}

  std::optional<Batch> choose(const Need& need, const Known& known, Rng& rng) override {
    const Surroundings samples(known.around.gradient());
    const Wanted wanted{.demand = need.demand, .signature = need.signature, .visited = {}};
    const bool any = std::ranges::any_of(samples.known(),
        [&](const overlay::Neighbour& node) { return could_fit(wanted, node.peer); });
    const Walk walk{.rule = HopRule::random, .hops_left = params_.hops_max};
    if (!any || need.turned_away) return fill_up(params_, need, known, walk, rng);
    return fill_up(params_, need, {.around = samples, .others = {}}, walk, rng);
  }

 private:
  FrontendParams params_;
};

}  // namespace dunlin::sched
