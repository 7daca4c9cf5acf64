// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "overlay/result.h"

namespace dunlin::node {

/// The directory that `directory` was copied from, as the mark in it says: empty unless that one is
/// still there, is another directory, and has the same identity. Reads only.
std::optional<std::string> find_original(const std::filesystem::path& directory);

/// Marks `directory` with its own place, by which a later find_original() in a copy knows this one.
Result<void> mark_place(const std::filesystem::path& directory);

/// A name for this directory on this machine until its next boot: no two directories have the same,
/// and a copy has another one. Of letters, digits and '-'. Empty if it cannot be looked at.
std::string directory_mark(const std::filesystem::path& directory);

}  // namespace dunlin::node
