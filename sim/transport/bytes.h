// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "overlay/codec.h"
#include "overlay/ensure.h"
#include "sched/cell/codec.h"
#include "sched/codec.h"

namespace dunlin::sim {

/// Decodes a message that a peer of this run encoded. Nothing else writes those bytes, so a failure
/// is a bug.
template <typename Message>
Message decoded(std::span<const std::byte> bytes) {
  auto message = [&] {
    if constexpr (std::is_same_v<Message, overlay::Message>)
      return overlay::decode(bytes);
    else if constexpr (std::is_same_v<Message, sched::Message>)
      return sched::decode(bytes);
    else
      return sched::cell::decode(bytes);
  }();
  ensure(message.has_value(), "what a peer encoded does not decode");
  return *std::move(message);
}

}  // namespace dunlin::sim
