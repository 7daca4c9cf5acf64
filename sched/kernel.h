// SPDX-License-Identifier: MIT
#pragma once

#include "overlay/address.h"
#include "overlay/ensure.h"
#include "overlay/ids.h"
#include "overlay/inline_vector.h"
#include "overlay/result.h"
#include "overlay/rng.h"
#include "overlay/time.h"
#include "overlay/wire_types.h"

// The names of the lower layer that scheduling uses.
namespace dunlin::sched {

using overlay::Address;
using overlay::Duration;
using overlay::Endpoint;
using overlay::from_wire;
using overlay::InlineVector;
using overlay::kNever;
using overlay::OptionalDuration;
using overlay::PeerId;
using overlay::Rng;
using overlay::Signature;
using overlay::Time;
using overlay::to_wire;

/// Rounds a duration up to milliseconds, and saturates it, as 32-bit durations are on the wire: 0
/// to 49.7 days. So a run is the same with and without a codec.
constexpr Duration whole_milliseconds(Duration duration) {
  return std::chrono::milliseconds(std::uint32_t{to_wire(duration)});
}

}  // namespace dunlin::sched
