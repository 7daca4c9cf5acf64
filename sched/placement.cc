// SPDX-License-Identifier: MIT
#include "sched/placement.h"

#include <algorithm>
#include <tuple>

namespace dunlin::sched {
namespace {

using overlay::Descriptor;
using overlay::Neighbour;

bool is_visited(const Wanted& wanted, PeerId id) {
  return std::ranges::find(wanted.visited, id.value) != wanted.visited.end();
}

/// As far as its owner's statement tells; custom resources and comparisons show only at the worker.
bool could_fit(const Wanted& wanted, const Descriptor& node) {
  return wanted.demand.cpu <= node.cpu_total && wanted.demand.memory <= node.memory_total &&
      node.signature.covers(wanted.signature);
}

bool fits_now(const Wanted& wanted, const Descriptor& node) {
  return wanted.demand.cpu <= node.cpu_free && wanted.demand.memory <= node.memory_free &&
      node.queued == 0;
}

double room(const Descriptor& node) {
  const auto share = [](std::uint32_t free, std::uint32_t total) {
    return total == 0 ? 1.0 : static_cast<double>(free) / static_cast<double>(total);
  };
  return share(node.cpu_free, node.cpu_total) * share(node.memory_free, node.memory_total);
}

Endpoint endpoint(const Neighbour& node) {
  return {node.peer.id, node.peer.address};
}

/// The element that `pick` (uniform in [0, count)) selects among those that pass `test`.
template <typename Test>
std::optional<Hop> draw(std::span<const Neighbour> known, Rng& rng, Test&& test) {
  const auto count = static_cast<std::size_t>(std::ranges::count_if(known, test));
  if (count == 0) return std::nullopt;
  std::size_t pick = rng.index(count);
  for (const Neighbour& node : known) {
    if (test(node) && pick-- == 0) return Hop{endpoint(node), false};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Hop> best_hop(const Surroundings& around, const Wanted& wanted) {
  const Neighbour* best = nullptr;
  // The most room; of equals the freshest statement; of those the one born first (smallest id).
  const auto better = [](const Neighbour& a, const Neighbour& b) {
    return std::tuple(room(a.peer), a.born, b.peer.id) >
        std::tuple(room(b.peer), b.born, a.peer.id);
  };
  for (const Neighbour& node : around.known) {
    if (!could_fit(wanted, node.peer) || !fits_now(wanted, node.peer)) continue;
    if (is_visited(wanted, node.peer.id)) continue;
    if (best == nullptr || better(node, *best)) best = &node;
  }
  if (best == nullptr) return std::nullopt;
  return Hop{endpoint(*best), true};
}

std::optional<Hop> random_hop(const Surroundings& around, const Wanted& wanted, Rng& rng) {
  const auto fitting = draw(around.known, rng, [&](const Neighbour& node) {
    return could_fit(wanted, node.peer) && !is_visited(wanted, node.peer.id);
  });
  if (fitting) return fitting;
  return draw(
      around.known, rng, [&](const Neighbour& node) { return !is_visited(wanted, node.peer.id); });
}

std::optional<Hop> draw_hop(
    const Surroundings& around, const Wanted& wanted, const Walk& walk, Rng& rng) {
  const bool greedy = walk.placement == Placement::gradient ||
      (walk.placement == Placement::adaptive && rng.chance(walk.greedy_share / 255.0));
  if (greedy) {
    if (const auto best = best_hop(around, wanted)) return best;
  }
  return random_hop(around, wanted, rng);
}

}  // namespace dunlin::sched
