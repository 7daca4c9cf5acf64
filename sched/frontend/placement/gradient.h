// SPDX-License-Identifier: MIT
#pragma once

#include "sched/frontend/placement/batch_probing.h"

namespace dunlin::sched {

/// Each hop goes to the known node with the most room; only where none is known to have room, a
/// random one. Source: ID2210, section 3 (probes along the gradient).
class GradientPlacement final : public Placement {
 public:
  explicit GradientPlacement(const FrontendParams& params) : params_(params) {}

  std::optional<Batch> choose(const Need& need, const Known& known, Rng& rng) override {
    const Walk walk{.rule = HopRule::greedy, .hops_left = params_.hops_max, .rank = params_.rank};
    if (auto batch = fill_up(params_, need, known, walk, rng)) return batch;
    return look_elsewhere(params_, need, known, walk);
  }

 private:
  FrontendParams params_;
};

}  // namespace dunlin::sched
