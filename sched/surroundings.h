// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
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
  /// Where a node is, known as a neighbour or not; empty if it never was heard of.
  using Find = std::function<std::optional<overlay::Endpoint>(overlay::PeerId)>;

  /// `utility` is the number by which nodes rank.
  Surroundings(Gather gather, Utility utility, InGradient in_gradient, Find find)
      : gather_(std::move(gather)),
        in_gradient_(std::move(in_gradient)),
        find_(std::move(find)),
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
  /// Where that node is, by the latest news; empty if none are known.
  std::optional<overlay::Endpoint> find(overlay::PeerId node) const {
    return find_ ? find_(node) : std::nullopt;
  }

 private:
  void gather() const {
    if (gather_) std::exchange(gather_, nullptr)(known_, random_);
  }

  mutable Gather gather_;
  mutable Nodes known_;
  mutable Nodes random_;
  InGradient in_gradient_;
  Find find_;
  Utility utility_{};
};

}  // namespace dunlin::sched
