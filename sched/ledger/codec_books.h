// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "overlay/result.h"
#include "sched/ledger/books.h"

namespace dunlin::sched::books {

/// The bytes of a command at most, packed: an entry of the log.
inline constexpr std::size_t kCommandMax = 1 << 20;
/// The bytes of a state at most, packed: a snapshot.
inline constexpr std::size_t kStateMax = 64 << 20;

/// Appends the packed encoding. The same command gives the same bytes. A list beyond its bound is a
/// bug of the caller.
void encode(const Command& command, std::string& out);
void encode(const State& state, std::string& out);

/// Fails with `corrupt` on bytes that are malformed, of a newer schema or beyond a bound.
/// Ledger::apply() decides if a command makes sense.
Result<Command> decode_command(std::span<const std::byte> bytes);
Result<State> decode_state(std::span<const std::byte> bytes);

}  // namespace dunlin::sched::books
