// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>

namespace dunlin::overlay {

/// A clock that has no now(): the drivers tell the protocols what time it is.
struct VirtualClock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<VirtualClock>;
  static constexpr bool is_steady = true;
};

using Duration = VirtualClock::duration;
using Time = VirtualClock::time_point;

/// A deadline that never comes.
inline constexpr Time kNever = Time::max();

}  // namespace dunlin::overlay
