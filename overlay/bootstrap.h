// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "overlay/gossip.h"
#include "overlay/self.h"

namespace dunlin::overlay {

/// The way in, and back in: asks one contact after the other, for ever, with ever longer waits.
/// Peers that try only once stay alone when their contact restarts.
class Bootstrap {
 public:
  /// Contacts that are `self` are left out, so that all nodes may be given the same list.
  Bootstrap(const Endpoint& self, std::span<const Endpoint> contacts);

  /// Takes the contacts of `other` from now on, and starts with short waits. An answer to what was
  /// asked before still counts.
  void replace(Bootstrap&& other);

  bool possible() const { return !contacts_.empty(); }
  /// Asks the next contact. Returns how long to wait before the next call: `patience` at first,
  /// doubled each time up to `patience_max`. Requires possible().
  Duration ask(GossipTurn& turn, Self& self, Duration patience, Duration patience_max);
  /// True, once, if this answers what was last asked.
  bool accept(const Endpoint& from, const Welcome& welcome);
  /// Starts again with short waits.
  void hurry() { asked_ = 0; }

 private:
  std::vector<Endpoint> contacts_;
  std::uint64_t request_ = 0;  ///< 0 while nothing is asked.
  PeerId target_;              ///< 0 if the contact is known only by its address.
  std::uint32_t next_ = 0;
  std::uint32_t asked_ = 0;  ///< Requests since the last hurry().
};

}  // namespace dunlin::overlay
