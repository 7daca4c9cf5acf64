// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "overlay/result.h"
#include "sched/cell/message.h"

namespace dunlin::sched::cell {

/// Appends the packed encoding. The same value gives the same bytes. A list beyond its bound is a
/// bug of the caller.
void encode(const Change& change, std::string& out);
void encode(const Directory& directory, std::string& out);

/// Fails with `corrupt` on what is malformed, of a newer schema or beyond a bound.
Result<Change> decode_change(std::span<const std::byte> bytes);
Result<Directory> decode_directory(std::span<const std::byte> bytes);

}  // namespace dunlin::sched::cell
