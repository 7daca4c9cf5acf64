// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace dunlin::node {

/// The mark of this machine, as 32 hex digits: a hash of the machine-id at `path` (as in
/// /etc/machine-id), which itself should stay on the machine. Empty if there is none: a container
/// or a first boot often has an empty file, or none.
/// Source: machine-id(5).
std::string machine_mark(const std::filesystem::path& path);

/// The number by which nodes tell whether they are on one machine: of the machine's `name` if it
/// was given one, else of its mark; 0 if it has neither.
std::uint64_t machine_number(std::string_view name, std::string_view mark);

/// The name of the machine's boot, drawn by the kernel. Source: random(4), boot_id.
std::string boot_name();

}  // namespace dunlin::node
