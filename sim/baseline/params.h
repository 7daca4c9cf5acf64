// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "overlay/params.h"
#include "overlay/time.h"

namespace dunlin::sim {

/// Who places the jobs. The first three are Dunlin's peers: as their parameters say, or set to
/// place as another system does. The others know no peer, and stand in the same cluster and network
/// and get the same jobs.
enum class Scheduler : std::uint8_t {
  dunlin,
  sparrow,   ///< Batch sampling and late binding at random workers; reservations stay.
  gradient,  ///< Always the best node known.
  omniscient,
  central,
  batch,
  per_task,
  random,
};

struct BaselineParams {
  Scheduler scheduler = Scheduler::dunlin;
  overlay::Duration decision_time = std::chrono::microseconds(100);
  double probes = 2;
};

/// True if it is no setting of the peers.
constexpr bool is_baseline(Scheduler scheduler) {
  return scheduler >= Scheduler::omniscient;
}

}  // namespace dunlin::sim

namespace dunlin::overlay {
template <>
inline constexpr std::string_view kWords<sim::Scheduler>[] = {
    "dunlin", "sparrow", "gradient", "omniscient", "central", "batch", "per_task", "random"};
template <>
inline constexpr std::string_view kSection<sim::BaselineParams> = "baseline";
template <>
inline constexpr auto kParams<sim::BaselineParams> = std::tuple{
    Param<&sim::BaselineParams::scheduler>{{},
        "Who places the jobs. dunlin: the peers, as their parameters say; sparrow: they probe at "
        "random and forward nothing; gradient: they ask the best node known; all others are no "
        "peers: see the laboratory's manual.",
        "Ousterhout 2013, section 3"},
    Param<&sim::BaselineParams::decision_time>{
        {std::chrono::nanoseconds(0), std::chrono::seconds(10)},
        "central: what the server needs to place one task."},
    Param<&sim::BaselineParams::probes>{
        {1.0, 100.0}, "batch, per_task: workers asked for each task."},
};
}  // namespace dunlin::overlay
