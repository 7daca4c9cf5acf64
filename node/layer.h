// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace dunlin::node {

/// Whose message it is: which codec reads the bytes that the transport carries.
enum class Layer : std::uint8_t { overlay, sched, node };

inline constexpr std::uint8_t kLayers = 3;

}  // namespace dunlin::node
