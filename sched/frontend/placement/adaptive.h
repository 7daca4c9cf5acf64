// SPDX-License-Identifier: MIT
#pragma once

#include "sched/frontend/placement/batch_probing.h"
#include "sched/frontend/placement/greedy_success.h"

namespace dunlin::sched {

/// Greedy hops in the share that they have lately succeeded in, for each class of demand; all other
/// hops are random. Source: design, section 5.
class AdaptivePlacement final : public Placement {
 public:
  explicit AdaptivePlacement(const FrontendParams& params) : params_(params) {}

  std::optional<Batch> choose(const Need& need, const Known& known, Rng& rng) override;
  void learn(DemandClass demand, const Walk& report) override { success_.learn(demand, report); }

 private:
  FrontendParams params_;
  GreedySuccess success_;
};

}  // namespace dunlin::sched
