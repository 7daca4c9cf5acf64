// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>

namespace dunlin::sim {

/// Shows on stderr how far some work is: a bar with the time left on a terminal, otherwise a line
/// every tenth.
class Progress {
 public:
  Progress();

  /// `share` of the work is done.
  void show(double share);
  /// Clears the bar.
  void finish();

 private:
  double elapsed() const;

  bool terminal_;
  int tenths_ = 0;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace dunlin::sim
