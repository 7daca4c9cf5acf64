// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

namespace dunlin::node {

/// The mark of this machine, as 32 hex digits: a hash of the machine-id at `path` (as in
/// /etc/machine-id), which itself should stay on the machine. Empty if there is none: a container
/// or a first boot often has an empty file, or none.
/// Source: machine-id(5).
std::string machine_mark(const std::filesystem::path& path);

}  // namespace dunlin::node
