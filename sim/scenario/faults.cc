// SPDX-License-Identifier: MIT
#include "sim/scenario/faults.h"

#include <algorithm>
#include <vector>

// Every peer has a stream of chance for each kind of fault, so a fault of one peer depends on
// nothing that another does. A study can so change the scheduler, or add a fault, and compare runs
// in which the same peers die at the same moments.
// Lives are exponential: a crash is as likely in each moment, however long a peer has lived.
namespace dunlin::sim {
namespace {

enum Use : std::uint64_t { kPartition = 1, kCrash, kChurn };

}  // namespace

Rng Faults::stream(std::uint64_t use, std::uint32_t peer) const {
  return Rng{Rng{seed_ ^ (use * 0x9e3779b97f4a7c15)}() ^ (peer * 0xd1342543de82ef95)};
}

bool Faults::in_minor_part(std::uint32_t peer) const {
  return stream(kPartition, peer).chance(params_.partition_share);
}

void Faults::for_each_crash(std::uint32_t peers,
    Time end,
    const std::function<void(std::uint32_t, const Crash&)>& visit) const {
  for (std::uint32_t peer = 0; peer < peers; ++peer) {
    std::vector<Crash> crashes;
    if (params_.life > Duration{0}) {
      Rng rng = stream(kChurn, peer);
      Time at = Time{} + rng.exponential(params_.life);
      for (; at < end; at += params_.down_time + rng.exponential(params_.life)) {
        crashes.push_back({at, params_.down_time});
      }
    }
    const bool drawn = params_.crash_share > 0 && stream(kCrash, peer).chance(params_.crash_share);
    if ((drawn || peer < params_.crash_first) && Time{params_.crash_at} < end) {
      crashes.push_back({Time{params_.crash_at}, params_.restart_after});
    }
    std::ranges::stable_sort(crashes, {}, &Crash::at);
    for (const Crash& crash : crashes) visit(peer, crash);
  }
}

}  // namespace dunlin::sim
