// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace dunlin::node {

/// How much of its machine this process may use, and which cgroup says so.
struct Bounds {
  std::uint32_t cpu = 0;                  ///< milli-CPU: of its affinity, or of a cgroup's quota.
  std::uint64_t memory = 0;               ///< Bytes: RAM, or a cgroup's limit.
  std::filesystem::path cpu_cgroup{};     ///< Its own or one above; empty: all of the machine.
  std::filesystem::path memory_cgroup{};  ///< Likewise.
};

/// Those of this process.
Bounds own_bounds();

/// The bounds of `machine`, or those of the cgroups of a process if they are tighter. `mounts` is
/// /sys/fs/cgroup, `membership` the text of a file /proc/PID/cgroup.
Bounds tightened(
    Bounds machine, const std::filesystem::path& mounts, const std::string& membership);

/// The CPU time of all processes that are or were in the cgroup or below it; empty: it tells none.
std::optional<std::chrono::nanoseconds> cpu_time_of(const std::filesystem::path& cgroup);
/// MiB of memory that its processes have, less what the kernel frees at once; empty: it tells none.
std::optional<std::uint64_t> memory_of(const std::filesystem::path& cgroup);

/// The limit in a text such as "50000 100000" (cpu.max), in milli-CPU; 0 for none ("max").
std::uint32_t parse_cpu_max(const std::string& text);

}  // namespace dunlin::node
