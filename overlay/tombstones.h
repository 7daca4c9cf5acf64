// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "overlay/boxed.h"
#include "overlay/neighbour.h"
#include "overlay/rng.h"

namespace dunlin::overlay {

/// The reason for which a peer is no neighbour any more.
enum class GoneReason : std::uint8_t {
  unanswered,  ///< One shuffle with it failed: perhaps only a datagram was lost.
  down,        ///< It was found dead.
  left,        ///< It said good-bye.
};

/// The peers that failed last. One of them is tried now and then, which joins the halves of a
/// partition again (foca and serf do the same). Statements that they made before they failed are
/// refused, so the dead do not come back from other peers' views.
class Tombstones {
 public:
  struct Tombstone {
    Endpoint peer;
    std::uint32_t incarnation = 0;
    GoneReason reason = GoneReason::unanswered;
    Time died{};
  };

  explicit Tombstones(std::uint16_t capacity) : capacity_(capacity) {}

  /// Forgets the oldest tombstone if there is no room.
  void add(const Endpoint& peer, std::uint32_t incarnation, GoneReason reason, Time now);
  /// Removes and returns the tombstone of a peer that sent a message. Tombstones of peers that left
  /// stay: a late message is no return.
  std::optional<Tombstone> lift(PeerId peer);
  /// True if the owner said `news` before it failed. Otherwise its tombstone is removed, if any.
  bool refuses(const Neighbour& news);
  /// As refuses(), but removes no tombstone.
  bool holds(const Neighbour& news) const;
  /// A failed peer to try, by chance. Empty if none may answer.
  std::optional<Endpoint> draw(Rng& rng) const;

  /// The tombstones, the oldest first.
  std::span<const Tombstone> tombstones() const { return tombstones_; }

 private:
  /// tombstones_.size() if there is none.
  std::size_t place_of(PeerId peer) const;

  LazyVector<Tombstone> tombstones_;
  std::uint16_t capacity_;
};

}  // namespace dunlin::overlay
