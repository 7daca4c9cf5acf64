// SPDX-License-Identifier: MIT
#include "sim/scenario/faults.h"

#include <algorithm>
#include <vector>

#include "overlay/params/param_table.h"

// Every peer has a stream of chance for each kind of fault, so a fault of one peer depends on
// nothing that another does. A study can so change the scheduler, or add a fault, and compare runs
// in which the same peers die at the same moments.
// Lives are exponential: a crash is as likely in each moment, however long a peer has lived.
namespace dunlin::sim {
namespace {

enum Use : std::uint64_t { kPartition = 1, kCrash, kChurn };

}  // namespace

Rng Faults::stream(std::uint64_t use, std::uint32_t peer) const {
  // Two mixings: a sum of use and peer alone would give one peer's crashes to another peer's churn.
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
      // The next life begins when the peer is up again.
      for (; at < end; at += params_.down_time + rng.exponential(params_.life)) {
        crashes.push_back({at, params_.down_time});
      }
    }
    const bool drawn = params_.crash_share > 0 && stream(kCrash, peer).chance(params_.crash_share);
    if ((drawn || peer < params_.crash_first) && Time{params_.crash_at} < end) {
      crashes.push_back({Time{params_.crash_at}, params_.restart_after});
    }
    // Both kinds of crash may come to one peer: it hears of them in order, and one that comes while
    // it is down does nothing.
    std::ranges::stable_sort(crashes, {}, &Crash::at);
    for (const Crash& crash : crashes) visit(peer, crash);
  }
}

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

void append_entries(sim::FaultParams& params, std::vector<ParamEntry>& entries) {
  append_table(params, entries);
}

}  // namespace dunlin::overlay
