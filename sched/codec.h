// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "sched/message.h"

namespace dunlin::sched {

/// The bytes that a message takes at most, packed. Code that fills a message with bytes of users
/// (Tasks) must stay below: packing makes at most five quarters of them.
inline constexpr std::size_t kPackedMax = 2560 << 10;
/// The bytes that a message takes at most, unpacked.
inline constexpr std::size_t kUnpackedMax = 4 << 20;

/// Appends the packed encoding of `message`. A list or text beyond its bound in the schema, or a
/// message beyond kPackedMax or kUnpackedMax, is a bug of the caller.
void encode(const Message& message, std::string& out);

/// Reads what a stranger sent, at any alignment. Empty if it is malformed, of a newer schema, or
/// beyond a bound; never throws. Borrows `bytes` only during the call.
std::optional<Message> decode(std::span<const std::byte> bytes);

}  // namespace dunlin::sched
