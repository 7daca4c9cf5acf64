// SPDX-License-Identifier: MIT
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <sys/random.h>

// std::random_device of Debian's libstdc++.a asks for arc4random, which glibc has since 2.36.
// Nothing else in the programs needs a glibc newer than 2.35, so each brings its own, and runs
// there too.
extern "C" std::uint32_t arc4random() noexcept {
  std::uint32_t number = 0;
  // Up to 256 bytes come whole, or not at all.
  while (getrandom(&number, sizeof number, 0) != static_cast<ssize_t>(sizeof number)) {
    if (errno != EINTR) std::abort();  // As glibc's: a number that can be guessed is worse.
  }
  return number;
}
