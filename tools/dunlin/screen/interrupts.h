// SPDX-License-Identifier: MIT
#pragma once

namespace dunlin::cli {

/// While it lives, the first Ctrl-C only makes fd() readable; the second ends the program. One at a
/// time.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  /// True once Ctrl-C was pressed.
  bool seen() const;
  /// Readable from then on. -1 if the system had no pipe to give.
  int fd() const;
};

}  // namespace dunlin::cli
