// SPDX-License-Identifier: MIT
#include "node/wall_clock.h"

#include <chrono>
#include <limits>

namespace dunlin::node {
namespace {

using Rep = overlay::Duration::rep;

/// The bound that a sum or a difference went over. It has the sign of its first operand then.
Rep bound_beyond(Rep first) {
  return first < 0 ? std::numeric_limits<Rep>::min() : std::numeric_limits<Rep>::max();
}

}  // namespace

std::int64_t wall_clock_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::system_clock::now().time_since_epoch())
      .count();
}

overlay::Time loop_time_of(std::int64_t wall_ns, const Clocks& clocks) {
  Rep since = 0;
  if (__builtin_sub_overflow(wall_ns, clocks.wall_ns, &since)) since = bound_beyond(wall_ns);
  Rep when = 0;
  if (__builtin_add_overflow(since, clocks.now.time_since_epoch().count(), &when)) {
    when = bound_beyond(since);
  }
  return overlay::Time{overlay::Duration{when}};
}

}  // namespace dunlin::node
