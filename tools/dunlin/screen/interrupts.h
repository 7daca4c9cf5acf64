// SPDX-License-Identifier: MIT
#pragma once

namespace dunlin::cli {

/// As long as it lives, the first Ctrl-C only makes fd() readable; the second ends the program.
/// Only one may live at a time.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  /// True after a Ctrl-C.
  bool seen() const;
  /// Readable after a Ctrl-C. -1 if the system had no pipe to give.
  int fd() const;
};

}  // namespace dunlin::cli
