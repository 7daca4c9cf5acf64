// SPDX-License-Identifier: MIT
#include <algorithm>
#include <utility>
#include <vector>

#include "sched/federation/global_view.h"

// A match: first the partitions of the global master itself, which take turns, then those of others
// (Megha, sections IV-B3 and 4).
namespace dunlin::sched::federation {

std::optional<Place> GlobalView::match(const Resources& demand,
    std::span<const Constraint> constraints,
    Pick pick,
    Time since,
    Rng& rng) {
  Wish wish{.demand = demand};
  for (const Constraint& constraint : constraints) {
    wish.constraints.push_back(expressions_.handle(constraint));
  }
  auto place = match_in(true, wish, pick, since, rng, internal_turn_);
  if (place) return place;
  if (external_ == External::room) return match_by_room(wish, pick, since, rng);
  return match_in(false, wish, pick, since, rng, external_turn_);
}

bool GlobalView::is_matched(CellId cell, Time since) const {
  const auto master = masters_.find(cell);
  return master != masters_.end() && master->second.heard >= since && !master->second.suspected;
}

void GlobalView::visit(
    Time since, const std::function<void(const Row&, const NodeKind&)>& visitor) const {
  for (const auto& [key, partition] : partitions_) {
    if (!is_matched(key.cell, since)) continue;
    for (const Row& row : partition.rows()) visitor(row, expressions_.kinds().at(row.kind));
  }
}

std::optional<Place> GlobalView::match_in(
    bool internal, const Wish& wish, Pick pick, Time since, Rng& rng, Key& turn) {
  auto next = partitions_.upper_bound(turn);
  for (std::size_t tried = 0; tried < partitions_.size(); ++tried, ++next) {
    if (next == partitions_.end()) next = partitions_.begin();
    const Key& key = next->first;
    if ((key.owner == self_) != internal) continue;
    if (!is_matched(key.cell, since)) continue;
    const LocalMaster& master = masters_.at(key.cell);
    if (const Row* row = next->second.match(wish, pick, expressions_, rng, search_)) {
      turn = key;
      return Place{key.cell, master.epoch, row->node, internal};
    }
  }
  return std::nullopt;
}

std::optional<Place> GlobalView::match_by_room(const Wish& wish, Pick pick, Time since, Rng& rng) {
  std::vector<std::map<Key, Partition>::iterator> open;
  std::uint64_t room = 0;
  for (auto at = partitions_.begin(); at != partitions_.end(); ++at) {
    const auto& [key, partition] = *at;
    if (key.owner == self_ || partition.room() == 0 || !is_matched(key.cell, since)) continue;
    room += partition.room();
    open.push_back(at);
  }
  while (room > 0) {
    std::uint64_t drawn = rng() % room;
    const auto at = std::ranges::find_if(open, [&](const auto& each) {
      if (drawn < each->second.room()) return true;
      drawn -= each->second.room();
      return false;
    });
    auto& [key, partition] = **at;
    if (const Row* row = partition.match(wish, pick, expressions_, rng, search_)) {
      return Place{key.cell, masters_.at(key.cell).epoch, row->node, false};
    }
    room -= partition.room();
    open.erase(at);
  }
  return std::nullopt;
}

}  // namespace dunlin::sched::federation
