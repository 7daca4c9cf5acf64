// SPDX-License-Identifier: MIT
#include "sched/federation/owners.h"

#include <algorithm>

namespace dunlin::sched::federation {

std::vector<Owners::Move> Owners::attach(PeerId master) {
  std::vector<Move> moves;
  if (!partitions_.try_emplace(master).second) return moves;
  if (partitions_.size() == 1) {
    for (const auto& [member, none] : std::map(owner_of_)) give(member, master, moves);
    return moves;
  }
  const std::size_t part = owner_of_.size() / partitions_.size();
  while (partitions_[master].size() < part) give(*largest().second.rbegin(), master, moves);
  return moves;
}

std::vector<Owners::Move> Owners::detach(PeerId master) {
  std::vector<Move> moves;
  const auto left = partitions_.extract(master);
  if (!left) return moves;
  for (const PeerId member : left.mapped()) {
    give(member, partitions_.empty() ? PeerId{} : smallest().first, moves);
  }
  return moves;
}

std::vector<Owners::Move> Owners::join(PeerId member) {
  std::vector<Move> moves;
  if (has_member(member)) return moves;
  give(member, partitions_.empty() ? PeerId{} : smallest().first, moves);
  return moves;
}

std::vector<Owners::Move> Owners::leave(PeerId member) {
  std::vector<Move> moves;
  const auto gone = owner_of_.extract(member);
  if (!gone || partitions_.empty()) return moves;
  partitions_[gone.mapped()].erase(member);
  auto& [to, few] = smallest();
  auto& [from, many] = largest();
  if (many.size() > few.size() + 1) give(*many.rbegin(), to, moves);
  return moves;
}

Owners::Partition& Owners::smallest() {
  return *std::ranges::min_element(partitions_, {}, [](auto& each) { return each.second.size(); });
}

Owners::Partition& Owners::largest() {
  return *std::ranges::max_element(partitions_, {}, [](auto& each) { return each.second.size(); });
}

void Owners::give(PeerId member, PeerId owner, std::vector<Move>& moves) {
  PeerId& now = owner_of_[member];
  if (const auto before = partitions_.find(now); before != partitions_.end()) {
    before->second.erase(member);
  }
  now = owner;
  if (owner) partitions_[owner].insert(member);
  moves.push_back({member, owner});
}

}  // namespace dunlin::sched::federation
