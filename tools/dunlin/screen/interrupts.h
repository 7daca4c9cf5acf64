// SPDX-License-Identifier: MIT
#pragma once

namespace dunlin::cli {

/// Catches the first Ctrl-C (SIGINT), SIGTERM or SIGHUP while it lives; the second one ends the
/// process as usual. One that was ignored before stays ignored. There is at most one.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  /// The signal that came; 0: none yet.
  int signal() const;
  bool seen() const { return signal() != 0; }
  /// Readable once it has come.
  int fd() const;
};

}  // namespace dunlin::cli
