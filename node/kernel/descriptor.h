// SPDX-License-Identifier: MIT
#pragma once

#include <unistd.h>
#include <utility>

namespace dunlin::node {

/// Closes it, once: −1 stands for none, before and after.
inline void close_if_open(int& descriptor) {
  if (descriptor >= 0) ::close(std::exchange(descriptor, -1));
}

}  // namespace dunlin::node
