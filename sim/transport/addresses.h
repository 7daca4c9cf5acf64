// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "overlay/address.h"
#include "overlay/ensure.h"

// Peer i has the id i + 1 and the address 10.0.0.1 + i, whatever carries its messages.
namespace dunlin::sim {

inline constexpr std::uint32_t kFirstAddress = 0x0a000001;
inline constexpr std::uint16_t kPort = 7700;

inline overlay::Endpoint endpoint_of(std::uint32_t peer) {
  return {.id = {peer + 1}, .address = overlay::Address::v4(kFirstAddress + peer, kPort)};
}

/// The number of the peer that has an address. Requires that it is one of `peers`: nothing else is
/// ever handed to peers as an address.
inline std::uint32_t index_of(const overlay::Endpoint& endpoint, std::uint32_t peers) {
  const auto index = static_cast<std::uint32_t>(endpoint.address.low) - kFirstAddress;
  ensure(endpoint.address.is_v4() && index < peers, "a message to an address that nobody has");
  return index;
}

}  // namespace dunlin::sim
