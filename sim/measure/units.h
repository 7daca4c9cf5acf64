// SPDX-License-Identifier: MIT
#pragma once

#include "overlay/time.h"

namespace dunlin::sim {

/// As people read and plot it: whole and fractions of a second. Figures are in ms or s as their
/// names say; times within a run are always whole nanoseconds.
inline double in_seconds(overlay::Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

/// Whole and fractions of a millisecond.
inline double in_ms(overlay::Duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

}  // namespace dunlin::sim
