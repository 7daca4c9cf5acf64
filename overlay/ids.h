// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <cstdint>

namespace dunlin::overlay {

/// The name of a peer: the first 8 bytes of the hash of its public key. 0 is no peer: an address
/// with an owner that is not known yet.
struct PeerId {
  std::uint64_t value = 0;

  constexpr explicit operator bool() const { return value != 0; }
  friend constexpr auto operator<=>(const PeerId&, const PeerId&) = default;
};

constexpr std::uint64_t to_wire(PeerId id) {
  return id.value;
}
constexpr bool from_wire(std::uint64_t wire, PeerId& id) {
  id.value = wire;
  return true;
}

}  // namespace dunlin::overlay
