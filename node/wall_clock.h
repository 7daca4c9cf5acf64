// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "overlay/time.h"

// The wall clock: what people and databases go by. It may be set forwards or back at any time, so
// protocols never see it, and no span within one incarnation is measured by it.
namespace dunlin::node {

/// Now, in ns since 1970.
std::int64_t wall_clock_ns();
/// The same in whole seconds.
inline std::int64_t unix_seconds() {
  return wall_clock_ns() / 1'000'000'000;
}

/// Two clocks read at the same moment.
struct Clocks {
  overlay::Time now;  ///< The loop's: since some boot, the same for one incarnation of an agent.
  std::int64_t wall_ns = 0;  ///< The wall clock's.
};

/// The loop's time at which the wall clock said `wall_ns`, if nobody has set it since: before zero
/// if the machine booted later, in the future if the clock was set back. Saturates.
overlay::Time loop_time_of(std::int64_t wall_ns, const Clocks& clocks);

}  // namespace dunlin::node
