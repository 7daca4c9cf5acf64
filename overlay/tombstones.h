// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "overlay/boxed.h"
#include "overlay/neighbour.h"
#include "overlay/rng.h"

namespace dunlin::overlay {

/// Why a peer is no neighbour any more.
enum class GoneReason : std::uint8_t {
  unanswered,  ///< One shuffle with it failed: perhaps only a datagram was lost.
  down,        ///< It was found dead.
  left,        ///< It said good-bye.
};

/// The last peers that failed. It has two uses: one of them is tried now and then, which is what
/// joins the halves of a partition again (facts: table of partitions; foca and serf do the same);
/// and statements they made before they failed are refused, so the dead don't come back from other
/// peers' views.
class Tombstones {
 public:
  struct Tombstone {
    Endpoint peer;
    std::uint32_t incarnation = 0;
    GoneReason reason = GoneReason::unanswered;
    Time died{};
  };

  explicit Tombstones(std::uint16_t capacity) : capacity_(capacity) {}

  /// Forgets the longest dead if there is no room.
  void add(const Endpoint& peer, std::uint32_t incarnation, GoneReason reason, Time now);
  /// `peer` itself was heard of again. Those that left are not raised by a late message of theirs.
  std::optional<Tombstone> lift(PeerId peer);
  /// True if `news` was said before its owner failed. Else, if it lies here, it is raised.
  bool refuses(const Neighbour& news);
  /// True without raising anybody.
  bool holds(const Neighbour& news) const;
  /// Someone to try, by chance. Empty if there is nobody who might answer.
  std::optional<Endpoint> draw(Rng& rng) const;

  /// From the longest to the shortest dead.
  std::span<const Tombstone> tombstones() const { return tombstones_; }

 private:
  /// graves_.size() if it lies nowhere.
  std::size_t place_of(PeerId peer) const;

  LazyVector<Tombstone> tombstones_;
  std::uint16_t capacity_;
};

}  // namespace dunlin::overlay
