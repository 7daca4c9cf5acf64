// SPDX-License-Identifier: MIT
#pragma once

#include <fcntl.h>
#include <sys/types.h>
#include <utility>

#include "node/kernel/folder.h"
#include "node/task/output/output_file.h"

namespace dunlin::node {

/// Room set aside on the disk, for the names and records of output that filled it.
class OutputReserve {
 public:
  static constexpr off_t kBytes = 256 << 10;

  /// It is to be in `folder`.
  explicit OutputReserve(Folder folder) : folder_(std::move(folder)) {}

  /// Sets it aside, if there is so much room.
  void make() {
    if (made_) return;
    {
      const File file(folder_, kFile, O_RDWR | O_CREAT);
      made_ = file && ::posix_fallocate(file.descriptor(), 0, kBytes) == 0;
    }
    // Part of it would be room that a task can use.
    if (!made_) folder_.unlink(kFile);
  }
  /// Leaves it to whoever writes next.
  void spend() {
    made_ = false;
    folder_.unlink(kFile);
  }

 private:
  static constexpr const char* kFile = "reserve";

  Folder folder_;
  bool made_ = false;
};

}  // namespace dunlin::node
