// SPDX-License-Identifier: MIT
#pragma once

#include "overlay/message.h"
#include "overlay/turn.h"

namespace dunlin::overlay {

/// One step of the overlay.
using GossipTurn = Turn<Message>;

/// The most descriptors one message holds: the bound of every list in message.capnp.
inline constexpr std::size_t kSampleMax = decltype(ShuffleRequest::sample)::capacity();

}  // namespace dunlin::overlay
