// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>

#include "overlay/address.h"
#include "overlay/ids.h"
#include "overlay/inline_vector.h"
#include "overlay/time.h"

// The strong types that stand in messages, and how they cross the wire.
namespace dunlin::overlay {

/// A 128-bit Bloom vector of a node's attributes, or of those a task demands.
struct Signature {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  /// True if every bit of `demanded` is set here. Then this node may do; otherwise it surely does
  /// not.
  constexpr bool covers(const Signature& demanded) const {
    return (low & demanded.low) == demanded.low && (high & demanded.high) == demanded.high;
  }
  friend constexpr bool operator==(const Signature&, const Signature&) = default;
};

/// 32 bits on the wire count milliseconds, rounded up and saturating; 64 bits count nanoseconds.
struct DurationWire {
  Duration value;
  constexpr operator std::uint32_t() const {
    const auto ms = std::chrono::ceil<std::chrono::milliseconds>(value).count();
    if (ms < 0) return 0;
    return ms > std::numeric_limits<std::uint32_t>::max()
        ? std::numeric_limits<std::uint32_t>::max()
        : static_cast<std::uint32_t>(ms);
  }
  constexpr operator std::int64_t() const { return value.count(); }
};

constexpr DurationWire to_wire(Duration duration) {
  return {duration};
}
constexpr bool from_wire(std::uint32_t wire, Duration& duration) {
  duration = std::chrono::milliseconds(wire);
  return true;
}
// 64 bits may be negative on the wire. No duration of ours is, so the message is refused.
constexpr bool from_wire(std::int64_t wire, Duration& duration) {
  duration = Duration{wire};
  return wire >= 0;
}

/// A duration that may be missing and is never 0, which is what a missing one is on the wire.
using OptionalDuration = std::optional<Duration>;

constexpr std::int64_t to_wire(const OptionalDuration& duration) {
  return duration ? duration->count() : 0;
}
constexpr bool from_wire(std::int64_t wire, OptionalDuration& duration) {
  duration.reset();
  if (wire > 0) duration = Duration{wire};
  return wire >= 0;
}

template <typename Builder>
void to_wire(const Address& address, Builder to) {
  to.setHigh(address.high);
  to.setLow(address.low);
  to.setPort(address.port);
}
template <typename Reader>
bool from_wire(Reader from, Address& address) {
  address = {.high = from.getHigh(), .low = from.getLow(), .port = from.getPort()};
  return true;
}

template <typename Builder>
void to_wire(const Signature& signature, Builder to) {
  to.setLow(signature.low);
  to.setHigh(signature.high);
}
template <typename Reader>
bool from_wire(Reader from, Signature& signature) {
  signature = {.low = from.getLow(), .high = from.getHigh()};
  return true;
}

}  // namespace dunlin::overlay
