// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "overlay/params.h"
#include "sched/kernel.h"

namespace dunlin::sched {

/// The resources of which a node follows what is really used.
enum class Tracked : std::uint8_t {
  off,    ///< None: what tasks demand is all that counts.
  rates,  ///< The rates of disk and network that it declares.
  all,    ///< CPU and memory as well.
};

/// What a task gives back of a demand that it does not use.
enum class Reclaim : std::uint8_t {
  off,
  fluid,  ///< CPU and rates: to lack them makes a task slower, no more.
};

/// The tracker of a node: see tracker.h.
struct TrackerParams {
  Tracked watch = Tracked::rates;
  Duration period = std::chrono::seconds(1);
  Reclaim reclaim = Reclaim::off;
  Duration ramp_up = std::chrono::seconds(10);
};

}  // namespace dunlin::sched

namespace dunlin::overlay {
template <>
inline constexpr std::string_view kWords<sched::Tracked>[] = {"off", "rates", "all"};
template <>
inline constexpr std::string_view kWords<sched::Reclaim>[] = {"off", "fluid"};
template <>
inline constexpr std::string_view kSection<sched::TrackerParams> = "tracker";
template <>
inline constexpr auto kParams<sched::TrackerParams> = std::tuple{
    Param<&sched::TrackerParams::watch>{{},
        "Of which resources a node offers less while something that is no task of its uses them: "
        "of "
        "none, of the rates that it declares, or of CPU and memory, too.",
        "Grandl 2014"},
    Param<&sched::TrackerParams::period>{
        {std::chrono::milliseconds(100), std::chrono::minutes(1), Scale::log},
        "Time between two looks at what the node and its tasks use."},
    Param<&sched::TrackerParams::reclaim>{{},
        "What others may have of the demand of a task that uses less: nothing, or CPU and rates "
        "beyond its recent peak and a tenth. Not where worker.preempt is on.",
        "Grandl 2014"},
    Param<&sched::TrackerParams::ramp_up>{
        {std::chrono::seconds(1), std::chrono::minutes(10), Scale::log},
        "A task younger than this counts with its demand; and use counts as recent for so long."},
};
}  // namespace dunlin::overlay
