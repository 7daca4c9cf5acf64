// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

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

/// See overlay/params.h.
void append_entries(sched::TrackerParams& params, std::vector<ParamEntry>& entries);
}  // namespace dunlin::overlay
