// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sched/kernel.h"

namespace dunlin::sched {

/// The times at which frontends with something here were last heard. Workers and frontends hold
/// leases of each other: a frontend renews its own by any message.
class FrontendLeases {
 public:
  struct Lease {
    PeerId frontend;
    Time heard{};
    Time excused = Time::min();     ///< Another node spoke up for it then.
    std::uint32_t incarnation = 0;  ///< The latest that gossip told of; 0: none yet.
  };

  /// Renews the lease of `frontend`; returns how long it had been silent, 0 if it is new.
  Duration heard(Time now, PeerId frontend) {
    const auto lease = std::ranges::find(leases_, frontend, &Lease::frontend);
    if (lease == leases_.end()) {
      leases_.push_back({.frontend = frontend, .heard = now});
      return Duration{0};
    }
    const Duration silence = now - lease->heard;
    lease->heard = now;
    return silence;
  }

  /// How long it has been silent; 0 if it has no lease.
  Duration silence(Time now, PeerId frontend) const {
    const auto lease = std::ranges::find(leases_, frontend, &Lease::frontend);
    return lease == leases_.end() ? Duration{0} : now - lease->heard;
  }
  /// It may be silent: another node spoke up for it.
  void excuse(Time now, PeerId frontend) {
    const auto lease = std::ranges::find(leases_, frontend, &Lease::frontend);
    if (lease != leases_.end()) lease->excused = now;
  }

  /// Gossip tells of a node. True if it is a frontend with a lease, and later than any that gossip
  /// told of before: it may have another address.
  bool is_news(PeerId frontend, std::uint32_t incarnation) {
    const auto lease = std::ranges::find(leases_, frontend, &Lease::frontend);
    if (lease == leases_.end() || incarnation <= lease->incarnation) return false;
    lease->incarnation = incarnation;
    return true;
  }

  /// In the order in which they were first heard.
  const std::vector<Lease>& all() const { return leases_; }

  /// Forgets the frontends for which `needed(id)` is false.
  void keep_only(auto&& needed) {
    std::erase_if(leases_, [&](const Lease& lease) { return !needed(lease.frontend); });
  }

 private:
  std::vector<Lease> leases_;
};

}  // namespace dunlin::sched
