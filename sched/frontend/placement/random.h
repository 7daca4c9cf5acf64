// SPDX-License-Identifier: MIT
#pragma once

#include "sched/frontend/placement/batch_probing.h"

namespace dunlin::sched {

/// Sparrow's placement: random nodes, random hops, and no second look once all reservations of a
/// job wait. Source: Ousterhout 2013, section 3.
class RandomPlacement final : public Placement {
 public:
  explicit RandomPlacement(const FrontendParams& params) : params_(params) {}

  std::optional<Batch> choose(const Need& need, const Known& known, Rng& rng) override {
    const Walk walk{.rule = HopRule::random, .hops_left = params_.hops_max};
    return fill_up(params_, need, known, walk, rng);
  }

 private:
  FrontendParams params_;
};

}  // namespace dunlin::sched
