// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "tests/support/world.h"
#include "tests/swarm/plan.h"

namespace dunlin::test {

/// What a swarm does to nodes and to the network between them, and undoes after Deed::lasts.
class NodeDeeds {
 public:
  /// Keeps `world` for as long as it lives.
  explicit NodeDeeds(World& world) : world_(world) {}

  /// To `node`, or to some others that it draws.
  void carry_out(const Deed& deed, std::size_t node, overlay::Rng& rng);

 private:
  void stop(const Deed& deed, std::size_t node, overlay::Rng& rng);
  void split(const Deed& deed, overlay::Rng& rng);
  void cut(const Deed& deed, std::size_t node, overlay::Rng& rng);
  void drain(const Deed& deed, std::size_t node);
  Time end_of(const Deed& deed) const { return world_.now() + deed.lasts; }

  World& world_;
};

}  // namespace dunlin::test
