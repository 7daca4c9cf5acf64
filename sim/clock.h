// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <ns3/nstime.h>
#include <ns3/simulator.h>
#include <utility>

#include "overlay/time.h"

// ns-3's clock and events, in the protocols' terms.
namespace dunlin::sim {

/// Now, on ns-3's clock. Its steps are nanoseconds.
inline overlay::Time now() {
  return overlay::Time{overlay::Duration{ns3::Simulator::Now().GetTimeStep()}};
}

/// The same span for ns-3. Requires that it is not below 0: ns3::TimeStep() takes it unsigned.
inline ns3::Time to_ns3(overlay::Duration duration) {
  return ns3::TimeStep(static_cast<std::uint64_t>(duration.count()));
}

/// Calls `call()` after `wait`, in the context of the event that acts.
template <typename Call>
void schedule(overlay::Duration wait, Call&& call) {
  ns3::Simulator::Schedule(to_ns3(wait), std::forward<Call>(call));
}

}  // namespace dunlin::sim
