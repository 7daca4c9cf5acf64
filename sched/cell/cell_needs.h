// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace dunlin::sched {

/// What may need the cells of a cluster. Nodes that none of it concerns form no cells, and say
/// nothing about them. A bit of gossip: numbers are never given again.
enum class CellNeed : std::uint16_t {
  classes = 1,     ///< Tickets of classes: a class table was set.
  replicas = 2,    ///< Logs of jobs: a frontend wants standbys.
  configured = 4,  ///< cell.form = "always".
  masters = 8,     ///< Local masters: a frontend places by its view of the cluster.
  plan = 16,       ///< A rule by which managers plan was set.
};

/// The needs that a node knows of: its own, and those that gossip told it of. They never end.
class CellNeeds {
 public:
  /// True if it is news.
  bool add(CellNeed need) { return adopt(static_cast<std::uint16_t>(need)); }
  /// Takes over what another node knows of, also what this build has no name for. True if some of
  /// it is news.
  bool adopt(std::uint16_t bits) {
    const std::uint16_t before = bits_;
    bits_ = static_cast<std::uint16_t>(bits_ | bits);
    return bits_ != before;
  }
  bool has(CellNeed need) const { return (bits_ & static_cast<std::uint16_t>(need)) != 0; }
  std::uint16_t bits() const { return bits_; }

 private:
  std::uint16_t bits_ = 0;
};

}  // namespace dunlin::sched
