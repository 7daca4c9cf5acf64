// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <ns3/simulator.h>
#include <utility>

#include "sim/clock.h"

namespace dunlin::sim {

/// Has peers look at what their machines use, each once a period.
class UseClock {
 public:
  UseClock(overlay::Duration period, std::function<void(std::uint32_t peer)> look)
      : period_(period),
        look_(std::move(look)) {}

  /// From now on, and not all peers at one moment. This must outlive the run.
  void start(std::uint32_t peers) {
    for (std::uint32_t i = 0; i < peers; ++i) {
      const overlay::Duration first = period_ * (i % kMoments + 1) / kMoments;
      ns3::Simulator::ScheduleWithContext(i, to_ns3(first), &UseClock::tick, this, i);
    }
  }

 private:
  /// Peers look at so many moments of a period: all at one would be a peak that no cluster has.
  static constexpr std::uint32_t kMoments = 16;

  void tick(std::uint32_t peer) {
    ns3::Simulator::Schedule(to_ns3(period_), &UseClock::tick, this, peer);
    look_(peer);
  }

  overlay::Duration period_;
  std::function<void(std::uint32_t)> look_;
};

}  // namespace dunlin::sim
