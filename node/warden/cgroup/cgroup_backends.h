// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <memory>
#include <optional>

#include "node/warden/cgroup/cgroup.h"

namespace dunlin::node {

/// A trial of the limits of disks.
inline constexpr Limits kDiskTrial{.cpu = 1000, .disk_read = 1 << 20, .disk_write = 1 << 20};
/// Likewise of the network.
inline constexpr Limits kNetTrial{.cpu = 1000, .net_in = 1 << 20, .net_out = 1 << 20};

/// What a slot's counters have grown by `before`; empty if they are not there.
inline std::optional<DiskBytes> since(
    const DiskBytes& before, const std::optional<DiskBytes>& now) {
  if (!now) return std::nullopt;
  return DiskBytes{.read = now->read - std::min(now->read, before.read),
      .written = now->written - std::min(now->written, before.written)};
}

/// These fail, saying why, if this machine has no writable cgroups of that version.
Result<std::unique_ptr<Limiter>> open_v1(const LimiterOptions& options);
Result<std::unique_ptr<Limiter>> open_v2(const LimiterOptions& options);

/// Knows tasks by /proc alone. With `polls` the caller enforces the memory limit ("rlimit");
/// without it nothing does ("none").
std::unique_ptr<Limiter> make_unlimited(bool polls);

}  // namespace dunlin::node
