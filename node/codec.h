// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "node/message.h"
#include "overlay/result.h"

namespace dunlin::node {

/// The most bytes that a message takes, packed.
inline constexpr std::size_t kPackedMax = (1 << 20) + (1 << 16);
/// ... and unpacked.
inline constexpr std::size_t kUnpackedMax = 4 << 20;

/// Appends the packed encoding of `message`. A list or text beyond its bound in the schema, or a
/// message beyond kPackedMax or kUnpackedMax, is a bug of the caller.
void encode(const Message& message, std::string& out);

/// Reads what a stranger sent, at any alignment. Empty if it is malformed, of a newer schema, or
/// beyond a bound; never throws. Borrows `bytes` only during the call.
std::optional<Message> decode(std::span<const std::byte> bytes);

/// The same for what a task runs: Tasks::spec of the scheduling layer. Requires validate().
void encode(const TaskSpec& spec, std::string& out);
std::optional<TaskSpec> decode_task_spec(std::span<const std::byte> bytes);

/// Fails, saying what is too long, if `spec` cannot be encoded: a user may have written it.
Result<void> validate(const TaskSpec& spec);

}  // namespace dunlin::node
