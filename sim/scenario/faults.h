// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>

#include "overlay/params.h"
#include "overlay/rng.h"
#include "overlay/time.h"

namespace dunlin::sim {

using overlay::Duration;
using overlay::Rng;
using overlay::Time;

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
template <>
inline constexpr std::string_view kSection<sim::FaultParams> = "faults";
template <>
inline constexpr auto kParams<sim::FaultParams> = std::tuple{
    Param<&sim::FaultParams::crash_share>{
        {0.0, 1.0}, "Share of the peers that die together; 0 for none."},
    Param<&sim::FaultParams::crash_first>{
        {0, 1000000}, "So many peers, the first by number, die together with them, or alone."},
    Param<&sim::FaultParams::crash_at>{
        {std::chrono::seconds(0), std::chrono::hours(24 * 365)}, "When they die."},
    Param<&sim::FaultParams::restart_after>{{std::chrono::seconds(0), std::chrono::hours(24)},
        "After how long they start again, in a new life that remembers nothing; 0 for never."},
    Param<&sim::FaultParams::life>{{std::chrono::seconds(0), std::chrono::hours(24 * 365)},
        "Churn: mean time that each peer lives until it crashes, exponentially distributed; 0 for "
        "no churn."},
    Param<&sim::FaultParams::down_time>{
        {std::chrono::milliseconds(1), std::chrono::hours(24), Scale::log},
        "Churn: how long a peer is down before it starts again."},
    Param<&sim::FaultParams::partition_share>{
        {0.0, 0.5}, "Share of the peers that a partition cuts off from the others; 0 for none."},
    Param<&sim::FaultParams::partition_from>{
        {std::chrono::seconds(0), std::chrono::hours(24 * 365)}, "When the network is divided ..."},
    Param<&sim::FaultParams::partition_until>{
        {std::chrono::seconds(0), std::chrono::hours(24 * 365)}, "... and when it is whole again."},
    Param<&sim::FaultParams::managers>{
        {0, 1000000}, "Managers of cells that die together, the first by id; 0 for none."},
    Param<&sim::FaultParams::quorums>{{0, 1000000},
        "Cells that lose their majority together, the first by id: so many of their voters die, "
        "the "
        "manager among them, that the others are none. Level and times are those of managers."},
    Param<&sim::FaultParams::managers_level>{
        {0, 8}, "Their level: 0 for managers of nodes, 1 for managers of managers."},
    Param<&sim::FaultParams::managers_at>{
        {std::chrono::seconds(0), std::chrono::hours(24 * 365)}, "When they die."},
    Param<&sim::FaultParams::managers_down>{{std::chrono::seconds(0), std::chrono::hours(24)},
        "After how long they start again, with their books; 0 for never."},
};
}  // namespace dunlin::overlay
