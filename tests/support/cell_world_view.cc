// SPDX-License-Identifier: MIT
#include <algorithm>
#include <sstream>

#include "sched/cell/hosted_replica.h"
#include "sched/raft/raft_check.h"
#include "tests/support/cell_world.h"

// The visible state of a world of cells.
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
    for (const auto& hosted : nodes_[i].self->hosted()) {
      const CellId cell = hosted->cell();
      const bool counts = hosted->manager && sched::level_of(cell) == level &&
          !hosted->books().roster().closed && hosted->manager->epoch() > epochs[cell];
      if (!counts) continue;
      epochs[cell] = hosted->manager->epoch();
      managers[cell] = i;
    }
  }
  return managers;
}

const sched::CellBooks* CellWorld::books(CellId cell) const {
  const auto chief = managers(sched::level_of(cell));
  const auto at = chief.find(cell);
  return at == chief.end() ? nullptr : &nodes_[at->second].self->hosted(cell)->books();
}

bool CellWorld::dispensable(std::size_t node) const {
  const auto needed = [&](const sched::StoredRaft& stored) {
    const CellId cell{stored.state.group};
    const auto chiefs = managers(sched::level_of(cell));
    const auto chief = chiefs.find(cell);
    if (chief == chiefs.end()) return true;
    const auto& group = nodes_[chief->second].self->hosted(cell)->group;
    const auto members = group.members();
    // All others know of the same voters: no change is under way that could count on this one.
    const auto agrees = [&](const sched::RaftMember& member) {
      if (member.replica == stored.state.replica) return true;
      const auto at = std::ranges::find_if(nodes_, [&](const Node& each) {
        const auto* hosted = each.self == nullptr ? nullptr : each.self->hosted(cell);
        return hosted != nullptr && hosted->group.replica() == member.replica;
      });
      return at != nodes_.end() && at->self->hosted(cell)->group.members() == members;
    };
    const auto voters =
        std::ranges::count(members, sched::MemberRole::voter, &sched::RaftMember::role);
    const bool counts =
        std::ranges::count(members, stored.state.replica, &sched::RaftMember::replica) > 0;
    return group.changing() || (counts && voters < 3) || !std::ranges::all_of(members, agrees);
  };
  return std::ranges::none_of(nodes_[node].store.disk(), needed);
}

bool CellWorld::settled() const {
  const auto chiefs = managers();
  for (const auto& [cell, chief] : chiefs) {
    if (nodes_[chief].self->hosted(cell)->books().roster().dissolving) return false;
  }
  return std::ranges::all_of(nodes_, [&](const Node& node) {
    return node.self == nullptr ||
        (node.self->member().is_member() && chiefs.contains(node.self->member().cell()));
  });
}

std::size_t CellWorld::trees() const {
  std::map<CellId, const sched::CellBooks*> standing;
  constexpr std::uint8_t kLevels = 16;
  for (std::uint8_t level = 0; level < kLevels; ++level) {
    for (const auto& [cell, chief] : managers(level)) {
      const auto* books = &nodes_[chief].self->hosted(cell)->books();
      if (!books->roster().dissolving) standing[cell] = books;
    }
  }
  return static_cast<std::size_t>(std::ranges::count_if(standing, [&](const auto& each) {
    const auto parent = standing.find(each.second->roster().parent);
    return parent == standing.end() || parent->second->ledger().node(each.first) == nullptr;
  }));
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
        << sched::hex_text(member.cell().value) << " epoch " << member.epoch();
    for (const auto& hosted : nodes_[i].self->hosted()) {
      const auto& roster = hosted->books().roster();
      out << "\n    " << sched::hex_text(hosted->cell().value)
          << (hosted->manager ? " managed" : " kept") << " in epoch " << hosted->group.last_epoch()
          << ", " << roster.members.size() << " members, " << hosted->group.members().size()
          << " replicas" << (roster.dissolving ? ", dissolving" : "")
          << (roster.closed ? ", closed" : "") << ", parent "
          << sched::hex_text(roster.parent.value);
      for (const auto& replica : hosted->group.members()) {
        out << (replica.role == sched::MemberRole::voter ? " voter " : " spare ")
            << (replica.node.value & 0xffff) - 1
            << (replica.replica == hosted->group.replica() ? " (this)" : "");
      }
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
