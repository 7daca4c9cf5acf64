// SPDX-License-Identifier: MIT
#pragma once

#include "overlay/message.h"
#include "overlay/observer.h"
#include "overlay/turn.h"

namespace dunlin::overlay {

/// One step of the overlay.
using GossipTurn = Turn<Message>;

/// The descriptors that one message holds at most: the bound of every list in message.capnp.
inline constexpr std::size_t kSampleMax = decltype(ShuffleRequest::sample)::capacity();

/// Tells the observer that a message of `from` was not acted upon.
inline void ignore(GossipTurn& turn, PeerId from, IgnoreReason reason) {
  turn.events.on(MessageIgnored{.from = from, .reason = reason});
}

}  // namespace dunlin::overlay
