// SPDX-License-Identifier: MIT
#include "sim/measure/sharing.h"

#include <algorithm>
#include <map>
#include <utility>

#include "sched/cell/cell_node.h"
#include "sched/cell/hosted_replica.h"
#include "sched/ledger/audit.h"
#include "sched/peer_view.h"
#include "sim/measure/measures.h"

// How sharing stands, seen from outside with all books at hand: are all nodes in cells, do cells
// form one tree, is each ticket there once? Of each cell the replica that has applied the highest
// entry counts; the others are late, not wrong.
namespace dunlin::sim {
namespace {

/// The latest books of a cell; and if a manager stands behind them.
struct Standing {
  const sched::CellBooks* books = nullptr;
  std::uint64_t applied = 0;
  bool managed = false;
};
using Cells = std::map<sched::CellId, Standing>;

Cells cells_of(std::span<const sched::Peer* const> peers, Sharing& sharing) {
  Cells cells;
  for (const sched::Peer* peer : peers) {
    if (peer == nullptr || peer->cells() == nullptr) continue;
    for (const auto& hosted : peer->cells()->hosted()) {
      ++sharing.replicas;
      Standing& cell = cells[hosted->cell()];
      cell.managed |= hosted->manager.has_value();
      if (cell.books != nullptr && hosted->group.applied_index() <= cell.applied) continue;
      cell.books = &hosted->books();
      cell.applied = hosted->group.applied_index();
    }
  }
  return cells;
}

bool has_ended(const sched::CellBooks& books) {
  return books.roster().dissolving || books.roster().closed;
}

bool stands(const Cells& cells, sched::CellId cell) {
  const auto at = cells.find(cell);
  return at != cells.end() && at->second.managed && !has_ended(*at->second.books);
}

/// True if its parent stands and has it as a member.
/// Both ends must say so: a child may believe in a parent that has dropped it.
bool has_parent(const Cells& cells, sched::CellId cell) {
  const sched::CellId parent = cells.at(cell).books->roster().parent;
  return stands(cells, parent) && cells.at(parent).books->ledger().node(cell) != nullptr;
}

void look_at_trees(const Cells& cells, Sharing& sharing) {
  std::vector<const sched::books::State*> states;
  for (const auto& [cell, standing] : cells) {
    // Books without an entry belong to a replica that waits to be added.
    if (standing.applied == 0) continue;
    states.push_back(&standing.books->ledger().state());
    if (!stands(cells, cell)) continue;
    const double level = sched::level_of(cell);
    sharing.levels = std::max(sharing.levels, level + 1);
    if (level == 0) ++sharing.cells;
    // Each tree has one cell without a parent: 1 is what it should be.
    if (!has_parent(cells, cell)) ++sharing.trees;
  }
  if (const auto broken = sched::broken_between(states)) {
    sharing.broken = 1;
    sharing.trouble = *broken;
  }
}

}  // namespace

Sharing sharing_of(overlay::Time now, std::span<const sched::Peer* const> peers) {
  Sharing sharing;
  const Cells cells = cells_of(peers, sharing);
  look_at_trees(cells, sharing);
  std::uint64_t newest = 0;
  for (const sched::Peer* peer : peers) {
    if (peer != nullptr) newest = std::max(newest, peer->classes().version);
  }
  double alive = 0, total = 0, busy = 0;
  Fairness balance;
  for (const sched::Peer* peer : peers) {
    if (peer == nullptr) continue;
    ++alive;
    const double cpus = peer->self().total.cpu;
    const double used = cpus - free_of(*peer).cpu;
    total += cpus;
    busy += used;
    balance.add(cpus > 0 ? used / cpus : 0);
    if (newest > 0 && peer->classes().version == newest) ++sharing.known;
    const sched::CellNode* node = peer->cells();
    if (node == nullptr) continue;
    const sched::CellId cell = node->member().cell();
    // Both sides must say so: a node may believe in a cell that has dropped it.
    const bool counts = node->member().is_member() && stands(cells, cell) &&
        cells.at(cell).books->ledger().node(peer->self().endpoint.id) != nullptr;
    sharing.members += counts ? 1 : 0;
    sharing.granted += now < node->member().until() ? 1 : 0;
  }
  if (alive == 0) return sharing;
  for (double* each : {&sharing.members, &sharing.granted, &sharing.known}) *each /= alive;
  sharing.busy = total > 0 ? busy / total : 0;
  sharing.balance = balance.index();
  return sharing;
}

std::map<sched::CellId, std::uint32_t> managers_of(
    std::span<const sched::Peer* const> peers, std::uint16_t level) {
  std::map<sched::CellId, std::uint32_t> managers;
  for (std::uint32_t i = 0; i < peers.size(); ++i) {
    if (peers[i] == nullptr || peers[i]->cells() == nullptr) continue;
    for (const auto& hosted : peers[i]->cells()->hosted()) {
      const sched::CellId cell = hosted->cell();
      if (!hosted->manager || has_ended(hosted->books())) continue;
      if (sched::level_of(cell) == level) managers[cell] = i;
    }
  }
  return managers;
}

std::set<std::uint32_t> majority_of(
    std::span<const sched::Peer* const> peers, sched::CellId cell, std::uint32_t manager) {
  auto members = peers[manager]->cells()->hosted(cell)->group.members();
  std::erase_if(members,
      [](const sched::RaftMember& member) { return member.role != sched::MemberRole::voter; });
  // Without so many voters, those that are left are at most half.
  const std::size_t enough = members.size() - members.size() / 2;
  std::set<std::uint32_t> majority{manager};
  for (const sched::RaftMember& member : members) {
    for (std::uint32_t i = 0; i < peers.size() && majority.size() < enough; ++i) {
      const bool keeps = peers[i] != nullptr && peers[i]->self().endpoint.id == member.node;
      if (keeps) majority.insert(i);
    }
  }
  return majority;
}

}  // namespace dunlin::sim
