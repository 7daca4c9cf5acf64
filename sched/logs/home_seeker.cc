// SPDX-License-Identifier: MIT
#include "sched/logs/home_seeker.h"

#include <algorithm>
#include <vector>

#include "sched/cell/cell_node.h"
#include "sched/directory/directory.h"
#include "sched/peer_parts.h"

namespace dunlin::sched::logs {
namespace {

/// Managers, and other nodes, that are asked at a time.
constexpr std::size_t kAskedMax = 8;

void add(std::vector<Endpoint>& nodes, const Endpoint& node, PeerId self) {
  const bool known = std::ranges::count(nodes, node.id, &Endpoint::id) > 0;
  if (!known && node.id != self) nodes.push_back(node);
}

/// So many of `all` as are wanted, drawn by chance.
template <typename Each>
std::vector<Each> drawn(Rng& rng, std::vector<Each> all) {
  for (std::size_t i = 0; i < std::min(kAskedMax, all.size()); ++i) {
    std::swap(all[i], all[i + rng.index(all.size() - i)]);
  }
  all.resize(std::min(kAskedMax, all.size()));
  return all;
}

std::vector<Endpoint> likely_nodes(const PeerParts& parts, const Host& host) {
  const PeerId self = parts.endpoint().id;
  std::vector<Endpoint> nodes;
  if (parts.cells) {
    for (const books::Contact& each : parts.cells->member().contacts()) {
      add(nodes, endpoint_of(each), self);
    }
    for (const cell::Hint& each : drawn(host.rng, parts.cells->hints().standing(0))) {
      add(nodes, endpoint_of(each.manager), self);
    }
  }
  if (!parts.directory) return nodes;
  std::vector<Endpoint> known;
  for (const auto& [id, node] : parts.directory->nodes()) {
    if (node.state(host.now) != NodeState::down) known.push_back({id, node.descriptor.address});
  }
  for (const Endpoint& each : drawn(host.rng, std::move(known))) add(nodes, each, self);
  return nodes;
}

}  // namespace

void seek_homes(const PeerParts& parts, const Host& host, std::span<const FindHome> lost) {
  if (lost.empty()) return;
  const std::vector<Endpoint> nodes = likely_nodes(parts, host);
  for (const FindHome& question : lost) {
    for (const Endpoint& node : nodes) host.out.send(node, question);
  }
}

}  // namespace dunlin::sched::logs
