// SPDX-License-Identifier: MIT
#include "sched/frontend/placement/batch_sample.h"

#include <algorithm>
#include <utility>

// Two reservations of one job at the same node are worth little more than one: both wait for the
// same slots. So sampling m nodes for m tasks at once beats m separate samples, and no node is
// drawn twice. Nodes that hold a reservation already count as drawn, and nodes that seem too small
// come after all others. Only a cluster smaller than the batch is gone through a second time.
namespace dunlin::sched {

using overlay::Neighbour;

BatchSample::BatchSample(const Surroundings& around,
    std::span<const Neighbour> others,
    const Wanted& wanted,
    std::vector<std::uint64_t> held,
    std::vector<std::uint64_t> closed)
    : around_(around),
      others_(others),
      wanted_{.demand = wanted.demand, .signature = wanted.signature, .visited = {}},
      closed_(std::move(closed)),
      used_(std::move(held)) {
  used_.insert(used_.end(), closed_.begin(), closed_.end());
  begin_round();
}

void BatchSample::begin_round() {
  std::ranges::sort(used_);
  const auto take = [&](const Neighbour& node) {
    if (is_sick(node.peer) || std::ranges::binary_search(used_, node.peer.id.value)) return;
    (could_fit(wanted_, node.peer) ? fitting_ : unfitting_).push_back(&node);
  };
  const auto id_of = [](const Neighbour& node) { return node.peer.id; };
  for (const Neighbour& node : around_.known()) take(node);
  for (const Neighbour& node : others_) {
    if (!std::ranges::binary_search(around_.known(), node.peer.id, {}, id_of)) take(node);
  }
}

std::optional<Hop> BatchSample::draw(const Walk& walk, Rng& rng) {
  if (draw_greedy(walk, rng)) {
    // Nodes with a reservation of this round are closed to it, even if they have the most room.
    wanted_.visited = used_;
    wanted_.rank = walk.rank;
    if (const auto best = best_hop(around_, wanted_)) {
      used_.push_back(best->to.id.value);
      const auto same = [&](const Neighbour* node) { return node->peer.id == best->to.id; };
      std::erase_if(fitting_, same);
      return best;
    }
  }
  if (const auto hop = draw_random(rng)) return hop;
  if (used_.size() == closed_.size()) return std::nullopt;
  used_ = closed_;
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
  return Hop{.to = {node.peer.id, node.peer.address}, .greedy = false};
}

}  // namespace dunlin::sched
