// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "overlay/ids.h"
#include "overlay/message_fwd.h"
#include "overlay/time.h"

namespace dunlin::node {

/// How long words to other nodes take, there and back: measured at gossip that is exchanged anyway,
/// so knowing it costs no message. What the loops of both agents take is part of it.
///
/// A number is smoothed as TCP does it (Jacobson 1988: an eighth of each new one), and a question
/// that was sent twice is not measured, since either may have been answered (Karn 1987).
/// Bounded, whatever strangers send: an answer counts only if it is to a question that was asked of
/// its sender.
class RoundTrips {
 public:
  /// Questions that wait for their answers. The oldest is forgotten for one more.
  static constexpr std::size_t kAskedMax = 64;
  /// Nodes of which a number is kept. The one that answered longest ago is forgotten for one more.
  static constexpr std::size_t kTripsMax = 256;

  struct Trip {
    overlay::Duration usual{0};  ///< Smoothed.
    overlay::Time at{};          ///< When the last answer came.
  };

  /// This agent says that to a node. Looks at questions alone.
  void on_sent(overlay::Time now, overlay::PeerId to, const overlay::Message& message);
  /// A node says that. Looks at answers alone.
  void on_received(overlay::Time now, overlay::PeerId from, const overlay::Message& message);
  /// Empty if that node never answered, or it is forgotten.
  std::optional<Trip> of(overlay::PeerId node) const;

 private:
  struct Asked {
    std::uint64_t request = 0;
    overlay::PeerId node;  ///< None: this place is free.
    overlay::Time at{};
    bool again = false;  ///< It was sent twice.
  };
  Asked* find(overlay::PeerId node, std::uint64_t request);
  void take(overlay::Time now, overlay::PeerId node, overlay::Duration trip);

  std::array<Asked, kAskedMax> asked_{};
  std::size_t next_ = 0;  ///< The place of the next question: that of the oldest.
  std::map<overlay::PeerId, Trip> trips_;
};

}  // namespace dunlin::node
