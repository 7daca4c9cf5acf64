// SPDX-License-Identifier: MIT
#include "sched/frontend/placement/placement.h"

#include "sched/frontend/placement/adaptive.h"
#include "sched/frontend/placement/gradient.h"
#include "sched/frontend/placement/random.h"
#include "sched/frontend/placement/tman.h"

// The list of placements. A new one is a file of its own, a word in sched/frontend/params.h and a
// case here; the compiler names this switch if the case is missing.
namespace dunlin::sched {

std::unique_ptr<Placement> make_placement(const FrontendParams& params) {
  switch (params.placement) {
    case PlacementName::random:
      return std::make_unique<RandomPlacement>(params);
    case PlacementName::gradient:
      return std::make_unique<GradientPlacement>(params);
    case PlacementName::adaptive:
    case PlacementName::federated:  // For what has no match.
      return std::make_unique<AdaptivePlacement>(params);
    case PlacementName::tman:
      return std::make_unique<TManPlacement>(params);
  }
  ensure(false, "a placement without a name");
  return nullptr;
}

}  // namespace dunlin::sched
