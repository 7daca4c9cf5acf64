// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "overlay/message.h"

namespace dunlin::overlay {

/// The bytes that an overlay message takes at most, packed: it always fits a datagram.
inline constexpr std::size_t kPackedMax = 2048;
/// The bytes that an overlay message takes at most, unpacked.
inline constexpr std::size_t kUnpackedMax = 8192;

/// Appends the packed encoding of `message`. A list or text beyond its bound in the schema, or a
/// message beyond kPackedMax or kUnpackedMax, is a bug of the caller.
void encode(const Message& message, std::string& out);

/// Reads what a stranger sent, at any alignment. Empty if it is malformed, of a newer schema, or
/// beyond a bound; never throws. Borrows `bytes` only during the call.
std::optional<Message> decode(std::span<const std::byte> bytes);

}  // namespace dunlin::overlay
