// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace dunlin::node {

/// The layer of a message: it selects the codec for the bytes that the transport carries. A *link*
/// message is about incarnations and identities, so it alone is heard by a node that is not (any
/// more, or yet) the incarnation it was sealed for.
/// *reach* messages are about addresses, and go by datagram alone: builds before them count them as
/// unknown.
enum class Layer : std::uint8_t { overlay, sched, node, cell, link, reach };

inline constexpr std::uint8_t kLayers = 6;

}  // namespace dunlin::node
