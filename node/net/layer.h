// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace dunlin::node {

/// Whose message it is: which codec reads the bytes that the transport carries.
enum class Layer : std::uint8_t { overlay, sched, node, cell };

inline constexpr std::uint8_t kLayers = 4;

}  // namespace dunlin::node
