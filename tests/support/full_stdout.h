// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

namespace dunlin::test {

/// While it lives, standard output goes to a disk without room.
class FullStdout {
 public:
  FullStdout() {
    std::fflush(stdout);
    before_ = ::dup(STDOUT_FILENO);
    const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
    ::dup2(full, STDOUT_FILENO);
    ::close(full);
  }
  ~FullStdout() {
    std::fflush(stdout);
    std::clearerr(stdout);
    ::dup2(before_, STDOUT_FILENO);
    ::close(before_);
  }
  FullStdout(const FullStdout&) = delete;
  FullStdout& operator=(const FullStdout&) = delete;

 private:
  int before_ = -1;
};

}  // namespace dunlin::test
