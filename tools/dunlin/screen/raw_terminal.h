// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace dunlin::cli {

/// In characters; zeros: not known.
struct TerminalSize {
  std::uint16_t rows = 0;
  std::uint16_t columns = 0;
  friend bool operator==(const TerminalSize&, const TerminalSize&) = default;
};
/// The size of the terminal at that descriptor; zeros if it is none.
TerminalSize size_of_terminal(int fd);

/// This process' terminal, in a mode in which every key goes on as it is: Ctrl-C, too. The mode it
/// was in comes back when this goes, at exit(), and before a signal ends the process. One at a
/// time.
class RawTerminal {
 public:
  /// Takes over the terminal at `fd`. Nothing changes if it is none.
  explicit RawTerminal(int fd);
  ~RawTerminal();
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;

  /// Readable after its size has changed.
  int resized_fd() const;
  /// The size that it has now, and resized_fd() is readable no more.
  TerminalSize take_size();

 private:
  int fd_;
};

}  // namespace dunlin::cli
