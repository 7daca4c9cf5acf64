// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

// The small files in which the kernel shows and takes its settings: /proc, /sys/fs/cgroup.
namespace dunlin::node {

/// The content of a small file (at most 256 KiB of it); empty if it cannot be read.
std::optional<std::string> read_kernel_file(const std::string& path);
/// Writes `text` in one piece. 0, or an errno.
int write_kernel_file(const std::string& path, std::string_view text);

/// The first number in `text`; empty if there is none ("max").
std::optional<std::uint64_t> leading_number(std::string_view text);
/// In lines of "key value": the value of `key`.
std::optional<std::uint64_t> keyed_number(std::string_view text, std::string_view key);
/// Pids separated by white space.
std::vector<pid_t> parse_pids(std::string_view text);

}  // namespace dunlin::node
