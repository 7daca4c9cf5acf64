// SPDX-License-Identifier: MIT
#include "sim/engine/populate.h"

#include <algorithm>
#include <utility>

#include "overlay/ensure.h"
#include "sched/cell/message.h"
#include "sched/peer_sharing.h"
#include "sim/clock.h"
#include "sim/transport/addresses.h"

namespace dunlin::sim {
namespace {

/// The cells that a node knows of at first. See establish_cells().
constexpr std::uint32_t kCellsKnown = 32;

void wire_peers(Cluster& cluster, const Scenario& scenario, const Fleet& machines, Rng rng) {
  const ClusterParams& params = scenario.cluster;
  const std::uint16_t links = scenario.peer.cyclon.view_size;
  for (std::uint32_t i = 0; i < params.peers; ++i) {
    cluster.add(machines[i], {}, rng.fork(), Time{birth_of(params, i)});
  }
  // A peer that is drawn twice, or draws itself, is not known twice. Those of the next peer are on
  // their way from memory while one is served.
  std::vector<std::uint32_t> drawn, next;
  std::vector<overlay::Neighbour> known;
  for (std::uint32_t i = 0; i <= params.peers; ++i) {
    next.clear();
    for (std::uint16_t link = 0; link < links && i < params.peers; ++link) {
      next.push_back(rng.below(params.peers));
      cluster.soon_introduced(next.back());
    }
    known.clear();
    for (const std::uint32_t peer : drawn) {
      known.push_back(cluster.introduce(peer, Time{birth_of(params, i - 1)}));
    }
    if (i > 0) cluster.seed(i - 1, known);
    std::swap(drawn, next);
  }
}

}  // namespace

Duration birth_of(const ClusterParams& params, std::uint32_t peer) {
  // All live from the start: establish_cells() acts at each of them before the loop runs.
  if (params.start == Start::celled) return Duration{0};
  return params.join_within / params.peers * peer;
}

std::uint32_t born_by(Time when, const ClusterParams& params) {
  std::uint32_t count = 0;
  while (count < params.peers && Time{birth_of(params, count)} <= when) ++count;
  return count;
}

void populate(Cluster& cluster, const Scenario& scenario, const Fleet& machines, Rng rng) {
  const ClusterParams& params = scenario.cluster;
  cluster.reserve(params.peers);
  if (params.start != Start::join) return wire_peers(cluster, scenario, machines, rng);
  for (std::uint32_t i = 0; i < params.peers; ++i) {
    std::vector<Endpoint> contacts;
    for (std::uint16_t c = 0; c < params.contacts && i > 0; ++c) {
      // Its address is all that a newcomer knows.
      contacts.push_back({.id = {}, .address = endpoint_of(rng.below(i)).address});
    }
    cluster.add(machines[i], contacts, rng.fork(), Time{birth_of(params, i)});
  }
}

// A node that manages a cell has more to do than others, so it is none that jobs are submitted to,
// if there is another one. No node knows all cells, if they are many: each knows the next ones, and
// a walk finds the rest.
void establish_cells(Cluster& cluster, const Scenario& scenario) {
  const ClusterParams& params = scenario.cluster;
  const std::uint32_t frontends = frontends_of(scenario.workload, params.peers);
  std::vector<sched::cell::Hint> cells(params.cells);
  for (std::uint32_t c = 0; c < params.cells; ++c) {
    const std::uint32_t later = (frontends + c) % params.cells;
    const std::uint32_t first = frontends + c < params.peers ? frontends + c : later;
    cluster.act(first, [&](sched::Peer& peer, const sched::Host& host) {
      const auto hint = peer.sharing().establish(host);
      ensure(hint.has_value(), "a cell where there can be none");
      cells[later] = *hint;
    });
  }
  for (std::uint32_t i = 0; i < params.peers; ++i) {
    const std::uint32_t own = i % params.cells;
    std::vector<sched::cell::Hint> known;
    for (std::uint32_t k = 0; k < std::min(params.cells, kCellsKnown); ++k) {
      known.push_back(cells[(own + k) % params.cells]);
    }
    cluster.act(i, [&](sched::Peer& peer, const sched::Host& host) {
      ensure(peer.sharing().join(host, cells[own].cell, known).has_value(), "no cells");
    });
  }
}

std::vector<const sched::Peer*> peers_alive(const Cluster& cluster, const ClusterParams& params) {
  std::vector<const sched::Peer*> peers;
  for (std::uint32_t i = 0; i < cluster.size(); ++i) {
    const bool alive = now() >= Time{birth_of(params, i)} && cluster.up(i);
    peers.push_back(alive ? &cluster.peer(i) : nullptr);
  }
  return peers;
}

}  // namespace dunlin::sim
