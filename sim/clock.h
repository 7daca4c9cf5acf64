// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <ns3/nstime.h>
#include <ns3/simulator.h>

#include "overlay/time.h"

namespace dunlin::sim {

/// Now, on ns-3's clock. Its steps are nanoseconds.
inline overlay::Time now() {
  return overlay::Time{overlay::Duration{ns3::Simulator::Now().GetTimeStep()}};
}

inline ns3::Time to_ns3(overlay::Duration duration) {
  return ns3::TimeStep(static_cast<std::uint64_t>(duration.count()));
}

}  // namespace dunlin::sim
