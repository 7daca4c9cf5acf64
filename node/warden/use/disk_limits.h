// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "node/warden/use/counters.h"
#include "overlay/result.h"

namespace dunlin::node {

/// The most that a cgroup may read from a disk and write to it; KiB/s, 0 is no limit.
struct DiskRates {
  std::uint32_t read = 0;
  std::uint32_t write = 0;
  friend bool operator==(const DiskRates&, const DiskRates&) = default;
};

/// Holds the cgroup in `directory` to these rates of `disk`: by io.max of v2, or by
/// blkio.throttle of v1. An error names the file.
Result<void> limit_disk_v2(const std::string& directory, Device disk, const DiskRates& rates);
Result<void> limit_disk_v1(const std::string& directory, Device disk, const DiskRates& rates);

}  // namespace dunlin::node
