// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "overlay/params.h"
#include "overlay/time.h"

namespace dunlin::sim {

/// The scheduler that places the jobs. The first four are Dunlin's peers: with their own
/// parameters, or set to place as another system does. The others know no peers; they stand in the
/// same cluster and network, and get the same jobs.
enum class Scheduler : std::uint8_t {
  dunlin,
  sparrow,   ///< Batch sampling and late binding at random workers; reservations stay.
  gradient,  ///< Always the best node known.
  tman,      ///< As Sparrow, but with the gradient's neighbours for its samples.
  omniscient,
  central,
  batch,
  per_task,
  random,
  early_binding,
};

struct BaselineParams {
  Scheduler scheduler = Scheduler::dunlin;
  overlay::Duration decision_time = std::chrono::microseconds(100);
  double probes = 2;
  bool gives_back = true;
};

/// True if the scheduler is not made of peers.
constexpr bool is_baseline(Scheduler scheduler) {
  return scheduler >= Scheduler::omniscient;
}

}  // namespace dunlin::sim

namespace dunlin::overlay {
template <>
inline constexpr std::string_view kWords<sim::Scheduler>[] = {"dunlin", "sparrow", "gradient",
    "tman", "omniscient", "central", "batch", "per_task", "random", "early_binding"};
template <>
inline constexpr std::string_view kSection<sim::BaselineParams> = "baseline";
template <>
inline constexpr auto kParams<sim::BaselineParams> = std::tuple{
    Param<&sim::BaselineParams::scheduler>{{},
        "The scheduler that places the jobs. dunlin: the peers, as their parameters say; sparrow: "
        "they probe at random and forward nothing; gradient: they ask the best node known; tman: "
        "they probe at random among the gradient's neighbours and forward nothing; all others are "
        "no peers: see the laboratory's manual.",
        "Ousterhout 2013, section 3"},
    Param<&sim::BaselineParams::decision_time>{
        {std::chrono::nanoseconds(0), std::chrono::seconds(10)},
        "central: what the server needs to place one task."},
    Param<&sim::BaselineParams::probes>{
        {1.0, 100.0}, "batch, per_task, early_binding: workers asked for each task."},
    Param<&sim::BaselineParams::gives_back>{{},
        "early_binding: what was allocated beyond a job's tasks is given back, and what still "
        "waits "
        "is cancelled; if not, it is held for as long as a task runs."},
};
}  // namespace dunlin::overlay
