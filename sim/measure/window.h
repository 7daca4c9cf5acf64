// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include "overlay/time.h"

namespace dunlin::sim {

using overlay::Duration;
using overlay::Time;

/// The part of a run that counts: jobs that arrive in [from, until), and work done in it.
struct Window {
  Time from{};
  Time until{};

  bool contains(Time when) const { return from <= when && when < until; }
  Duration length() const { return until - from; }
  /// The part of [begin, end) that lies in it.
  Duration overlap(Time begin, Time end) const {
    return std::max(Duration{0}, std::min(end, until) - std::max(begin, from));
  }
};

}  // namespace dunlin::sim
