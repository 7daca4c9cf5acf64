// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "sim/engine/cluster.h"
#include "sim/scenario/fleet.h"
#include "sim/scenario/scenario.h"

// The peers of a scenario, and the times of their births.
namespace dunlin::sim {

/// The time of a peer's birth: one after the other, within cluster.join_within.
Duration birth_of(const ClusterParams& params, std::uint32_t peer);
/// The number of peers that are born at `when` or earlier: the first ones.
std::uint32_t born_by(Time when, const ClusterParams& params);

/// Adds the peers of a scenario to a cluster that has none. They join at contacts, or know others
/// from their birth on, as cluster.start says.
void populate(Cluster& cluster, const Scenario& scenario, const Fleet& machines, Rng rng);

/// Has the cells of a cluster that is Start::celled stand, with cluster.cells managers: peer i is
/// in the cell of all others that have the same remainder. Before the loop runs, and once the
/// cluster is ready. Members join within a round trip; other nodes keep books too as soon as
/// managers ask them to, and cells of cells come as ever.
void establish_cells(Cluster& cluster, const Scenario& scenario);

/// All peers, by number; null are those that are not alive now.
std::vector<const sched::Peer*> peers_alive(const Cluster& cluster, const ClusterParams& params);

}  // namespace dunlin::sim
