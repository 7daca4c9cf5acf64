// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "overlay/result.h"
#include "sched/ledger/roster.h"

namespace dunlin::sched::books {

/// Appends the packed encoding. The same value gives the same bytes. A list beyond its bound is a
/// bug of the caller.
void encode(const Change& change, std::string& out);
void encode(const Roster& roster, std::string& out);

/// Fails with `corrupt` on bytes that are malformed, of a newer schema or beyond a bound.
Result<Change> decode_change(std::span<const std::byte> bytes);
Result<Roster> decode_roster(std::span<const std::byte> bytes);

}  // namespace dunlin::sched::books
