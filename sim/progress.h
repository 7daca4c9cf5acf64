// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <string>

#include "overlay/time.h"

namespace dunlin::sim {

/// Shows on stderr how far a run is: a bar with the time left on a terminal, else a line every
/// tenth.
class Progress {
 public:
  explicit Progress(overlay::Time end);

  void show(overlay::Time now);
  /// Clears the bar.
  void finish();

 private:
  double elapsed() const;

  overlay::Time end_;
  bool terminal_;
  int tenths_ = 0;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace dunlin::sim
