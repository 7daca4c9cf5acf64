// SPDX-License-Identifier: MIT
#pragma once

#include <ns3/nstime.h>
#include <ns3/simulator.h>
#include <utility>

#include "overlay/time.h"

// ns-3's clock and events in the protocols' terms.
namespace dunlin::sim {

/// Calls `call()` after `wait`, in the context of the event that acts.
template <typename Call>
void schedule(overlay::Duration wait, Call&& call) {
  ns3::Simulator::Schedule(
      ns3::TimeStep(static_cast<std::uint64_t>(wait.count())), std::forward<Call>(call));
}

/// Now, on ns-3's clock.
overlay::Time now();

}  // namespace dunlin::sim
