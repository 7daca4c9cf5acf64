// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "sched/cell/message.h"

namespace dunlin::sched::cell {

/// Bounds of a message of a cell in bytes, packed ...
inline constexpr std::size_t kPackedMax = 256 << 10;
/// ... and unpacked.
inline constexpr std::size_t kUnpackedMax = 512 << 10;

/// Appends the packed encoding of `message`. A list or text beyond its bound in the schema, or a
/// message beyond kPackedMax or kUnpackedMax, is a bug of the caller.
void encode(const Message& message, std::string& out);

/// Reads a message that any node may have sent, at any alignment. Empty if it is malformed, of a
/// newer schema, or beyond a bound; never throws. Borrows `bytes` only during the call.
std::optional<Message> decode(std::span<const std::byte> bytes);

}  // namespace dunlin::sched::cell
