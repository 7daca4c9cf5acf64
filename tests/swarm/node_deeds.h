// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

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
  /// True if it is best done to the home of some job.
  static bool concerns_homes(const Deed& deed) {
    return deed.kind == Deed::Kind::isolate || deed.kind == Deed::Kind::retire ||
        deed.kind == Deed::Kind::fill;
  }
  /// Those that are about to stop do so at once.
  void end_all();

 private:
  void end_retirement(std::size_t node);
  void retire(const Deed& deed, std::size_t node);
  void set_disk(std::size_t node, bool fails);
  void stop(const Deed& deed, std::size_t node, overlay::Rng& rng);
  void split(const Deed& deed, overlay::Rng& rng);
  void cut(const Deed& deed, std::size_t node, overlay::Rng& rng);
  void drain(const Deed& deed, std::size_t node);
  Time end_of(const Deed& deed) const { return world_.now() + deed.lasts; }

  World& world_;
  std::map<std::size_t, std::uint32_t> retiring_;  ///< About to stop, in that incarnation.
};

}  // namespace dunlin::test
