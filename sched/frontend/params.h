// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "overlay/params.h"
#include "sched/kernel.h"
#include "sched/message.h"

namespace dunlin::sched {

/// The way in which a frontend seeks workers for its tasks: names a Placement.
enum class PlacementName : std::uint8_t {
  random,     ///< Random nodes, random hops: placement/random.h.
  gradient,   ///< The known node with the most room: placement/gradient.h.
  adaptive,   ///< Either, as greedy hops lately succeeded: placement/adaptive.h.
  tman,       ///< Random neighbours of the gradient, nothing else: placement/tman.h.
  federated,  ///< Where its view of the cluster has room, else as adaptive: sched/federation/.
};

/// What a frontend learns of demands that users do not say: see estimates/estimator.h.
enum class Estimate : std::uint8_t {
  off,    ///< Nothing: what is not said is as small as can be.
  rates,  ///< Rates of disks and networks that nodes declare.
  fluid,  ///< CPU as well.
};

struct FrontendParams {
  PlacementName placement = PlacementName::adaptive;
  double probe_ratio = 2.0;
  double probe_ratio_full = 4.0;
  std::uint16_t probes_max = 512;
  std::uint8_t hops_max = 5;
  Duration probe_timeout = std::chrono::milliseconds(1000);
  Duration reprobe_period = std::chrono::milliseconds(500);
  Duration queue_lease = std::chrono::seconds(15);
  Duration task_lease = std::chrono::seconds(15);
  Duration recovery_wait = std::chrono::seconds(3);
  std::uint16_t probes_crowded = 16;
  std::uint16_t node_cache = 512;
  Duration unknown_duration = std::chrono::seconds(10);
  double greedy_cap = 0.8;
  double greedy_floor = 0.05;
  HopRank rank = HopRank::room;
  Estimate estimate = Estimate::off;
  bool estimate_memory = false;
  double estimate_unknown = 0.125;
  Duration history_min = std::chrono::hours(1);
  Duration history_age = std::chrono::hours(24 * 30);
  std::uint64_t history_bytes = std::uint64_t{256} << 20;
  std::uint32_t history_max = 1'000'000;
  Duration history_standbys = std::chrono::hours(24);
  std::uint8_t replicas = 0;
  std::uint8_t replicas_required = 0;
  Duration home_lease = std::chrono::seconds(4);
};

/// How long a finished job with standbys is remembered at most.
inline Duration history_age_of_logs(const FrontendParams& params) {
  return std::min(params.history_age, params.history_standbys);
}

}  // namespace dunlin::sched

namespace dunlin::overlay {
template <>
inline constexpr std::string_view kWords<sched::PlacementName>[] = {
    "random", "gradient", "adaptive", "tman", "federated"};
template <>
inline constexpr std::string_view kWords<sched::HopRank>[] = {
    "room", "alignment", "cosine", "best_fit"};
template <>
inline constexpr std::string_view kWords<sched::Estimate>[] = {"off", "rates", "fluid"};

/// See overlay/params.h.
void append_entries(sched::FrontendParams& params, std::vector<ParamEntry>& entries);
}  // namespace dunlin::overlay
