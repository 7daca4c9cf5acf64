// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <sys/ioctl.h>
#include <unistd.h>

namespace dunlin::sim {

/// The columns of the terminal that stdout is: 80 if it does not say; 0, no limit, if it is none.
inline std::size_t terminal_columns() {
  constexpr std::size_t kUnknown = 80;
  if (isatty(STDOUT_FILENO) == 0) return 0;
  winsize size{};
  const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : kUnknown;
}

}  // namespace dunlin::sim
