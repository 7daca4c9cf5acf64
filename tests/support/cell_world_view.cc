// SPDX-License-Identifier: MIT
#include <algorithm>
#include <sstream>

#include "sched/cell/raft_check.h"
#include "tests/support/cell_world.h"

// What can be seen of a world of cells.
namespace dunlin::test {

using sched::CellId;

std::map<CellId, std::size_t> CellWorld::cells() const {
  std::map<CellId, std::size_t> cells;
  for (const Node& node : nodes_) {
    if (node.self != nullptr && node.self->member().is_member())
      ++cells[node.self->member().cell()];
  }
  return cells;
}

std::map<CellId, std::size_t> CellWorld::managers(std::uint8_t level) const {
  std::map<CellId, std::size_t> managers;
  std::map<CellId, sched::Epoch> epochs;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (!alive(i)) continue;
    for (const auto& seat : nodes_[i].self->seats()) {
      const CellId cell = seat->group.group();
      const bool counts = seat->manager && sched::level_of(cell) == level &&
          !seat->books().directory().closed && seat->manager->epoch() > epochs[cell];
      if (!counts) continue;
      epochs[cell] = seat->manager->epoch();
      managers[cell] = i;
    }
  }
  return managers;
}

const sched::CellBooks* CellWorld::books(CellId cell) const {
  const auto chief = managers(sched::level_of(cell));
  const auto at = chief.find(cell);
  return at == chief.end() ? nullptr : &nodes_[at->second].self->seat(cell)->books();
}

bool CellWorld::settled() const {
  const auto chiefs = managers();
  for (const auto& [cell, chief] : chiefs) {
    if (nodes_[chief].self->seat(cell)->books().directory().dissolving) return false;
  }
  return std::ranges::all_of(nodes_, [&](const Node& node) {
    return node.self == nullptr ||
        (node.self->member().is_member() && chiefs.contains(node.self->member().cell()));
  });
}

std::string CellWorld::describe() const {
  std::ostringstream out;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    out << "\nnode " << i;
    if (!alive(i)) {
      out << " dead";
      continue;
    }
    const auto& member = nodes_[i].self->member();
    constexpr const char* states[] = {"seeking", "joining", "member", "leaving"};
    out << ' ' << states[static_cast<std::size_t>(member.state())] << ' '
        << sched::hex_text(member.cell()) << " epoch " << member.epoch();
    for (const auto& seat : nodes_[i].self->seats()) {
      const auto& directory = seat->books().directory();
      out << "\n    " << sched::hex_text(seat->group.group())
          << (seat->manager ? " managed" : " kept") << " in epoch " << seat->group.last_epoch()
          << ", " << directory.members.size() << " members, " << seat->group.members().size()
          << " replicas" << (directory.dissolving ? ", dissolving" : "")
          << (directory.closed ? ", closed" : "") << ", parent "
          << sched::hex_text(directory.parent);
    }
  }
  return out.str();
}

std::string CellWorld::violation() const {
  if (!violation_.empty()) return violation_;
  for (const Node& node : nodes_) {
    if (const auto wrong = node.store.violation(); !wrong.empty()) return wrong;
  }
  return {};
}

}  // namespace dunlin::test
