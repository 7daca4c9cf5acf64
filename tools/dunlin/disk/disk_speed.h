// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "overlay/result.h"

namespace dunlin::cli {

/// What a disk did in one direction.
struct DiskSpeed {
  std::uint64_t bytes = 0;
  std::chrono::duration<double> time{0};

  /// KiB/s; 0 if nothing was done.
  std::uint64_t rate() const;
};

struct DiskSpeeds {
  DiskSpeed write;
  DiskSpeed read;
};

/// The bounds of a measurement; each direction has them.
struct DiskTrial {
  std::uint64_t bytes_max = 4ull << 30;
  std::chrono::milliseconds time_max{5000};
  /// Called a few times a second: "write" or "read", and what was done so far.
  std::function<void(const char*, const DiskSpeed&)> progress{};
};

/// Writes a file in `directory` past the caches, from its beginning to its end, and reads it back.
/// The file has no name, so nothing is left however this ends; it takes at most a tenth of what is
/// free. Fails if the directory cannot be written, is on no disk, or lacks room; says what to do.
Result<DiskSpeeds> measure_disk(const std::string& directory, const DiskTrial& trial);

/// A rate for agent.toml: "210M/s", never more than what was measured, with two digits.
std::string rate_to_declare(std::uint64_t kibibytes);

}  // namespace dunlin::cli
