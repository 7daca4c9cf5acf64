// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "overlay/neighbour.h"
#include "overlay/ranking.h"

namespace dunlin::sched {

/// The nodes that a peer knows at this moment: the neighbours of both views, and itself. Most calls
/// need none of them, so they are gathered when first asked for.
class Surroundings {
 public:
  using Nodes = std::vector<overlay::Neighbour>;
  using Utility = overlay::Utility;
  /// Puts different nodes, sorted by id, into both: all that are known, and those that are a
  /// uniform sample of the cluster. Neighbours of the gradient are no sample: where all nodes are
  /// idle, they are those next to us, and a walk along them would go in circles.
  using Gather = std::function<void(Nodes& known, Nodes& random)>;
  /// Says if a node is a neighbour of the gradient.
  using InGradient = std::function<bool(overlay::PeerId)>;

  /// `utility` is the number by which nodes rank.
  Surroundings(Gather gather, Utility utility, InGradient in_gradient)
      : gather_(std::move(gather)),
        in_gradient_(std::move(in_gradient)),
        utility_(utility) {}
  /// Takes all of `known` as a uniform sample, and as neighbours of the gradient.
  explicit Surroundings(Nodes known, Utility utility = {})
      : known_(std::move(known)),
        random_(known_),
        utility_(utility) {}

  std::span<const overlay::Neighbour> known() const {
    gather();
    return known_;
  }
  std::span<const overlay::Neighbour> random() const {
    gather();
    return random_;
  }
  /// The neighbours of the gradient, sorted by id.
  Nodes gradient() const {
    Nodes neighbours;
    std::ranges::copy_if(known(), std::back_inserter(neighbours),
        [&](const auto& node) { return !in_gradient_ || in_gradient_(node.peer.id); });
    return neighbours;
  }
  Utility utility() const { return utility_; }

 private:
  void gather() const {
    if (gather_) std::exchange(gather_, nullptr)(known_, random_);
  }

  mutable Gather gather_;
  mutable Nodes known_;
  mutable Nodes random_;
  InGradient in_gradient_;
  Utility utility_{};
};

}  // namespace dunlin::sched
