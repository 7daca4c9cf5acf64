// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

// Peer i has the address 10.0.0.1 + i, whatever carries its messages.
namespace dunlin::sim {

inline constexpr std::uint32_t kFirstAddress = 0x0a000001;
inline constexpr std::uint16_t kPort = 7700;

}  // namespace dunlin::sim
