// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <cstdint>

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

/// Names a cell for good: a new cell gets an id that no cell ever had. 0 is no cell.
struct CellId {
  std::uint64_t value = 0;

  constexpr explicit operator bool() const { return value != 0; }
  friend constexpr auto operator<=>(const CellId&, const CellId&) = default;
};

constexpr std::uint64_t to_wire(CellId id) {
  return id.value;
}
constexpr bool from_wire(std::uint64_t wire, CellId& id) {
  id.value = wire;
  return true;
}

/// The number of an attempt of a task, from 1. Attempts that different homes of a job made differ
/// in the upper half, which counts the homes before; a job without replicas has one home.
using AttemptNumber = std::uint32_t;
/// What numbers of a home begin with, after so many others.
constexpr AttemptNumber first_after(std::uint32_t offices) {
  return offices << 16;
}
/// Its number among those of its home.
constexpr std::uint16_t number_of(AttemptNumber attempt) {
  return static_cast<std::uint16_t>(attempt);
}

template <typename Builder>
void to_wire(const AttemptNumber& attempt, Builder to) {
  to.setNumber(number_of(attempt));
  to.setOffices(static_cast<std::uint16_t>(attempt >> 16));
}
template <typename Reader>
bool from_wire(Reader from, AttemptNumber& attempt) {
  attempt = first_after(from.getOffices()) | from.getNumber();
  return true;
}

/// Rounds a duration up to milliseconds, and saturates it, as 32-bit durations are on the wire: 0
/// to 49.7 days. So a run is the same with and without a codec.
constexpr Duration whole_milliseconds(Duration duration) {
  return std::chrono::milliseconds(std::uint32_t{to_wire(duration)});
}

}  // namespace dunlin::sched
