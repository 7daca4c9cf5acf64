// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>

#include "overlay/result.h"

namespace dunlin::node {

/// Moves an identity and what belongs to it (its database of jobs and books) from `directory` into
/// a folder of its own there, `before-<seconds since 1970>`, and returns that: the next agent of
/// this directory is a new node. Its marks are copied, so that the new node goes on with the old
/// one's numbers. Output that tasks of other nodes left stays.
/// Requires that no agent runs there. Fails, naming the file, if one cannot be moved, and with
/// `not_found` if there is nothing to move.
Result<std::filesystem::path> set_aside_identity(
    const std::filesystem::path& directory, std::int64_t unix_seconds);

}  // namespace dunlin::node
