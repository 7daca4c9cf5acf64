// SPDX-License-Identifier: MIT
#include "sched/cell/manager_places.h"

#include "sched/cell/hosted_replica.h"

namespace dunlin::sched {
namespace {

/// The hints told, the newest of those that gossip brought.
constexpr std::size_t kHintsTold = 32;

}  // namespace

std::vector<ManagerPlace> own_places(const CellNode& cells, const Endpoint& self) {
  std::vector<ManagerPlace> places;
  for (const auto& hosted : cells.hosted()) {
    if (hosted->manager) places.push_back({hosted->cell(), self});
  }
  if (!cells.member().is_member()) return places;
  for (const auto& contact : cells.member().contacts()) {
    places.push_back({cells.member().cell(), {contact.node, contact.address}});
  }
  return places;
}

std::vector<ManagerPlace> known_places(const CellNode& cells, Time now, std::size_t count_max) {
  std::vector<ManagerPlace> places;
  const auto add = [&](CellId cell, PeerId node, const Address& address) {
    if (!cell || places.size() == count_max) return;
    places.push_back({cell, {node, address}});
  };
  for (const auto& contact : cells.member().contacts()) {
    add(cells.member().cell(), contact.node, contact.address);
  }
  for (const auto& hosted : cells.hosted()) {
    const auto& roster = hosted->books().roster();
    for (const auto& contact : roster.parent_contacts) {
      add(roster.parent, contact.node, contact.address);
    }
    const auto leader = hosted->group.leader();
    if (leader && !hosted->manager) add(hosted->cell(), leader->node, leader->address);
  }
  for (const auto& hint : cells.hints().newest(now, kHintsTold)) {
    add(hint.cell, hint.manager.node, hint.manager.address);
  }
  return places;
}

}  // namespace dunlin::sched
