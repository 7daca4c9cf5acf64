// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "overlay/params.h"
#include "overlay/ranking.h"
#include "overlay/rng.h"
#include "overlay/time.h"
#include "sched/peer.h"
#include "sim/measure/sharing.h"

namespace dunlin::sim {

/// The health of the overlay at one moment.
struct Health {
  overlay::Time at{};
  std::uint32_t peers = 0;         ///< Peers alive; the rest counts only these.
  double view_size = 0;            ///< The mean size of the random views.
  double in_degree_deviation = 0;  ///< Within the random graph: 0 if all are known equally well.
  std::uint32_t in_degree_max = 0;
  double clustering = 0;         ///< Share of a peer's neighbours that know each other.
  double path_length = 0;        ///< Hops from peer to peer, over pairs that reach each other.
  double unreachable = 0;        ///< Share of pairs that do not.
  double dead_links = 0;         ///< Share of links, of both views, to peers that are not alive.
  double dead_random_links = 0;  ///< The share within the random views alone.
  double cross_links = 0;        ///< Share of random links that cross the border of a partition.
  double ideal_neighbours =
      0;  ///< Share of the gradient views that a peer with full knowledge would choose.
  double utility_error = 0;  ///< In those views: the mean error of the utility.
  double age_ms = 0;         ///< In those views: the time since the neighbour said it.
  Sharing sharing;           ///< The health of cells, if there are classes.
  double job_slots = 0;      ///< Slots of a job by plan, if plans are measured: the mean over jobs.
  double job_running = 0;    ///< Running tasks of a job, likewise.
};

/// The peers to examine: peer i has the id i + 1; null if it is not alive.
struct Census {
  overlay::Time now;
  std::span<const sched::Peer* const> peers;
  /// The first so many peers have been alive. The others are still to join: links to them are
  /// neither dead nor alive, and do not count.
  std::uint32_t born = std::numeric_limits<std::uint32_t>::max();
  std::vector<bool> minor = {};  ///< True for peers in the minor part of a partition; empty: none.
  /// By which peers choose: the ideal view follows the same rule.
  overlay::GradientParams gradient;
};

/// A measure of health, as tables, pictures and scenario files name it.
struct HealthMeasure {
  std::string_view name;
  std::string_view meaning;
  double (*of)(const Health& health);
};
/// All measures.
std::span<const HealthMeasure> health_measures();
/// Null if there is none of that name.
const HealthMeasure* health_measure(std::string_view name);

/// Paths, clustering and ideal neighbours are measured for at most `sample` peers drawn by chance.
Health health_of(const Census& census, std::uint32_t sample, overlay::Rng& rng);

}  // namespace dunlin::sim
