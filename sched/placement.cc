// SPDX-License-Identifier: MIT
#include "sched/placement.h"

#include <algorithm>
#include <tuple>
#include <utility>

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

/// Whether the next hop goes to the best node known.
bool wants_best(const Walk& walk, Rng& rng) {
  return walk.placement == Placement::gradient ||
      (walk.placement == Placement::adaptive && rng.chance(walk.greedy_share / 255.0));
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
  const auto unvisited = [&](const Neighbour& node) { return !is_visited(wanted, node.peer.id); };
  if (const auto hop = draw(around.random(), rng, may_fit)) return hop;
  // Few are random ones: rare capacity may stand next to us.
  if (const auto hop = draw(around.known(), rng, may_fit)) return hop;
  return draw(around.known(), rng, unvisited);
}

std::optional<Hop> draw_hop(
    const Surroundings& around, const Wanted& wanted, const Walk& walk, Rng& rng) {
  if (wants_best(walk, rng)) {
    if (const auto best = best_hop(around, wanted)) return best;
  }
  return random_hop(around, wanted, rng);
}

BatchSample::BatchSample(const Surroundings& around,
    std::span<const Neighbour> others,
    const Wanted& wanted,
    std::vector<std::uint64_t> held)
    : around_(around),
      others_(others),
      wanted_{.demand = wanted.demand, .signature = wanted.signature, .visited = {}},
      used_(std::move(held)) {
  begin_round();
}

void BatchSample::begin_round() {
  std::ranges::sort(used_);
  const auto take = [&](const Neighbour& node) {
    if (std::ranges::binary_search(used_, node.peer.id.value)) return;
    (could_fit(wanted_, node.peer) ? fitting_ : unfitting_).push_back(&node);
  };
  const auto id_of = [](const Neighbour& node) { return node.peer.id; };
  for (const Neighbour& node : around_.known()) take(node);
  for (const Neighbour& node : others_) {
    if (!std::ranges::binary_search(around_.known(), node.peer.id, {}, id_of)) take(node);
  }
}

std::optional<Hop> BatchSample::draw(const Walk& walk, Rng& rng) {
  if (wants_best(walk, rng)) {
    wanted_.visited = used_;
    if (const auto best = best_hop(around_, wanted_)) {
      used_.push_back(best->to.id.value);
      const auto same = [&](const Neighbour* node) { return node->peer.id == best->to.id; };
      std::erase_if(fitting_, same);
      return best;
    }
  }
  if (const auto hop = draw_random(rng)) return hop;
  if (used_.empty()) return std::nullopt;
  used_.clear();
  begin_round();
  return draw_random(rng);
}

std::optional<Hop> BatchSample::draw_random(Rng& rng) {
  auto& from = fitting_.empty() ? unfitting_ : fitting_;
  if (from.empty()) return std::nullopt;
  std::swap(from[rng.index(from.size())], from.back());
  const Neighbour& node = *from.back();
  from.pop_back();
  used_.push_back(node.peer.id.value);
  return Hop{endpoint(node), false};
}

}  // namespace dunlin::sched
