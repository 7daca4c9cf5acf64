// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "overlay/params.h"
#include "overlay/rng.h"
#include "overlay/time.h"

namespace dunlin::sim {

using overlay::Duration;
using overlay::Rng;
using overlay::Time;

/// Peers that die by themselves, together or by churn; a partition; and the death of managers. The
/// table in faults.cc has each.
struct FaultParams {
  double crash_share = 0;
  std::uint32_t crash_first = 0;
  Duration crash_at = std::chrono::seconds(30);
  Duration restart_after = std::chrono::seconds(0);
  Duration life = std::chrono::seconds(0);
  Duration down_time = std::chrono::seconds(10);
  double partition_share = 0;
  Duration partition_from = std::chrono::seconds(30);
  Duration partition_until = std::chrono::seconds(60);
  std::uint32_t managers = 0;
  std::uint32_t quorums = 0;
  std::uint16_t managers_level = 0;
  Duration managers_at = std::chrono::seconds(60);
  Duration managers_down = std::chrono::seconds(0);
};

/// The failures of a run: which peers crash, when, and which cannot reach each other. They follow
/// from the parameters and a seed alone, so neither the transport nor any event can change them.
class Faults {
 public:
  Faults(const FaultParams& params, std::uint64_t seed) : params_(params), seed_(seed) {}

  /// True while the two are in different parts of a divided network.
  bool parted(Time now, std::uint32_t a, std::uint32_t b) const {
    return params_.partition_share > 0 && now >= Time{params_.partition_from} &&
        now < Time{params_.partition_until} && in_minor_part(a) != in_minor_part(b);
  }

  /// The peer dies, and comes back after `down`; never, if that is 0.
  struct Crash {
    Time at{};
    Duration down{0};
  };
  /// Calls `visit(peer, crash)` for each crash before `end`, peer by peer, each in order of time.
  void for_each_crash(std::uint32_t peers,
      Time end,
      const std::function<void(std::uint32_t, const Crash&)>& visit) const;

  /// True if a partition, should there be one, cuts the peer off from most others.
  bool in_minor_part(std::uint32_t peer) const;

 private:
  /// A stream of chance for each use and peer.
  Rng stream(std::uint64_t use, std::uint32_t peer) const;

  FaultParams params_;
  std::uint64_t seed_;
};

}  // namespace dunlin::sim

namespace dunlin::overlay {
/// See overlay/params.h.
void append_entries(sim::FaultParams& params, std::vector<ParamEntry>& entries);
}  // namespace dunlin::overlay
