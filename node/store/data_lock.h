// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>

#include "overlay/result.h"

namespace dunlin::node {

/// Keeps a second agent out of a data directory for as long as it lives, by an exclusive lock on
/// `<directory>/lock`. The kernel releases it when the process dies, however that happens.
class DataLock {
 public:
  /// Creates `directory` (one level) if need be. Fails with `refused` if another process holds it.
  static Result<DataLock> acquire(const std::string& directory);

  DataLock(DataLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  DataLock& operator=(DataLock&&) = delete;
  ~DataLock();

 private:
  explicit DataLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

}  // namespace dunlin::node
