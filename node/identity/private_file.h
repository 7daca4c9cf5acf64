// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "overlay/result.h"

namespace dunlin::node {

/// Reads a small file that holds a secret. Fails, naming file and cure, if it cannot be read, is
/// larger than `bytes_max`, or grants others any of the rights in `forbidden_mode`. not_found if it
/// does not exist.
Result<std::string> read_private_file(
    const std::filesystem::path& path, unsigned forbidden_mode, std::size_t bytes_max);

/// Writes a file of mode 0600 that is there whole, after a crash too, or not at all. Unless
/// `replace`, fails with kind `refused` if it exists.
Result<void> write_private_file(
    const std::filesystem::path& path, std::string_view text, bool replace);

}  // namespace dunlin::node
