// SPDX-License-Identifier: MIT
#include "node/task/output_reserve.h"

#include <fcntl.h>

#include "node/task/output_file.h"

namespace dunlin::node {
namespace {

constexpr off_t kReserve = 256 << 10;
constexpr const char* kReserveFile = "reserve";

}  // namespace

void OutputReserve::make() {
  if (made_) return;
  {
    const File file(folder_, kReserveFile, O_RDWR | O_CREAT);
    made_ = file && ::posix_fallocate(file.descriptor(), 0, kReserve) == 0;
  }
  // Part of it would be room that a task can use.
  if (!made_) folder_.unlink(kReserveFile);
}

void OutputReserve::spend() {
  made_ = false;
  folder_.unlink(kReserveFile);
}

}  // namespace dunlin::node
