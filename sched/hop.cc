// SPDX-License-Identifier: MIT
#include "sched/hop.h"

#include <algorithm>
#include <cstddef>
#include <tuple>

#include "sched/packing/rate_bits.h"
#include "sched/packing/score.h"

// A node knows some dozens of others of thousands, and what it knows is seconds old. A greedy hop
// goes to the known node with the most room: it finds rare capacity fast, but all nodes read the
// same gossip and would herd. A random hop among nodes that could fit never herds, and with two
// probes for each task already finds short queues (the power of two choices). So a walk carries the
// rule by which each node on its way chooses between the two.
// Source: Ousterhout 2013, sections 3.1 to 3.3; ID2210 section 3.1 (samples from the overlay).
namespace dunlin::sched {
namespace {

using overlay::Descriptor;
using overlay::Neighbour;

bool is_visited(const Wanted& wanted, PeerId id) {
  return std::ranges::find(wanted.visited, id.value) != wanted.visited.end();
}

/// A node with a queue counts as full, since the queue gets what falls free.
bool fits_now(const Wanted& wanted, const Descriptor& node) {
  return wanted.demand.cpu <= node.cpu_free && wanted.demand.memory <= node.memory_free &&
      node.queued == 0 && rates_fit(wanted.demand, node);
}

/// The higher, the better. The largest dot product of a task over nodes is the emptiest node, and
/// spreads; the least that is left over fills nodes one by one. Source: Grandl 2014; Panigrahy 2011
/// has the rules. Requires another rank than room.
double packing_score(const Wanted& wanted, const Descriptor& node) {
  const packing::Dimensions dimensions(all_of(told_total(node)));
  const auto name = wanted.rank == HopRank::alignment ? packing::ScoreName::dot
      : wanted.rank == HopRank::cosine                ? packing::ScoreName::cosine
                                                      : packing::ScoreName::l2_difference;
  return packing::score(name, dimensions.shares(wanted.demand), dimensions.shares(told_free(node)),
      dimensions.all(1));
}

Endpoint endpoint(const Neighbour& node) {
  return {node.peer.id, node.peer.address};
}

/// Draws uniformly among the nodes that pass `test`.
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

bool could_fit(const Wanted& wanted, const Descriptor& node) {
  return !is_sick(node) && wanted.demand.cpu <= node.cpu_total &&
      wanted.demand.memory <= node.memory_total && node.signature.covers(wanted.signature) &&
      rates_could_fit(wanted.demand, node);
}

bool draw_greedy(const Walk& walk, Rng& rng) {
  switch (walk.rule) {
    case HopRule::random:
      return false;
    case HopRule::greedy:
      return true;
    case HopRule::mixed:
      return rng.chance(walk.greedy_share / 255.0);
  }
  return false;
}

std::optional<Hop> best_hop(const Surroundings& around, const Wanted& wanted) {
  const Neighbour* best = nullptr;
  // Usually the node with the most room wins, by the number by which the overlay ranks its views;
  // of equals the freshest statement; of those the smallest id.
  const auto rank = [&](const Descriptor& node) {
    return wanted.rank == HopRank::room ? overlay::utility(node, around.utility())
                                        : packing_score(wanted, node);
  };
  const auto better = [&](const Neighbour& a, const Neighbour& b) {
    return std::tuple(rank(a.peer), a.born, b.peer.id) >
        std::tuple(rank(b.peer), b.born, a.peer.id);
  };
  for (const Neighbour& node : around.known()) {
    if (!could_fit(wanted, node.peer) || !fits_now(wanted, node.peer)) continue;
    if (is_visited(wanted, node.peer.id)) continue;
    if (best == nullptr || better(node, *best)) best = &node;
  }
  if (best == nullptr) return std::nullopt;
  return Hop{endpoint(*best), true};
}

std::optional<Hop> random_hop(const Surroundings& around, const Wanted& wanted, Rng& rng) {
  const auto may_fit = [&](const Neighbour& node) {
    return could_fit(wanted, node.peer) && !is_visited(wanted, node.peer.id);
  };
  const auto unvisited = [&](const Neighbour& node) {
    return !is_sick(node.peer) && !is_visited(wanted, node.peer.id);
  };
  if (const auto hop = draw(around.random(), rng, may_fit)) return hop;
  // The random sample may be too small for rare capacity, which may stand next to this node.
  if (const auto hop = draw(around.known(), rng, may_fit)) return hop;
  return draw(around.known(), rng, unvisited);
}

std::optional<Hop> draw_hop(
    const Surroundings& around, const Wanted& wanted, const Walk& walk, Rng& rng) {
  if (draw_greedy(walk, rng)) {
    if (const auto best = best_hop(around, wanted)) return best;
  }
  return random_hop(around, wanted, rng);
}

}  // namespace dunlin::sched
