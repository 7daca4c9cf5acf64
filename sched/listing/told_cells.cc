// SPDX-License-Identifier: MIT
#include "sched/listing/told_cells.h"

#include "sched/cell/cell_node.h"
#include "sched/cell/hosted_replica.h"
#include "sched/cell/manager_places.h"

namespace dunlin::sched {
namespace {

ManagerAt told_place(CellId cell, const Endpoint& where) {
  return {.cell = cell, .node = where.id, .address = where.address};
}

ListedCell told_cell(const HostedReplica& hosted) {
  const CellBooks& books = hosted.books();
  ListedCell told{
      .cell = books.cell(), .epoch = hosted.manager->epoch(), .parent = books.roster().parent};
  if (hosted.level() == 0) return told;
  for (const auto& member : books.ledger().state().nodes) {
    const books::Contact* const contact = books.contact(member.node);
    if (contact == nullptr || told.children.size() == ListedCell::kChildrenMax) continue;
    told.children.push_back(told_place(member.node.cell(), {contact->node, contact->address}));
  }
  return told;
}

}  // namespace

std::vector<ListedCell> told_cells(const CellNode* cells, std::size_t count_max) {
  std::vector<ListedCell> told;
  if (cells == nullptr) return told;
  for (const auto& hosted : cells->hosted()) {
    if (hosted->manager && told.size() < count_max) told.push_back(told_cell(*hosted));
  }
  return told;
}

std::vector<ManagerAt> told_places(const CellNode* cells, Time now, std::size_t count_max) {
  std::vector<ManagerAt> told;
  if (cells == nullptr) return told;
  for (const auto& [cell, where] : known_places(*cells, now, count_max)) {
    told.push_back(told_place(cell, where));
  }
  return told;
}

std::vector<ManagerPlace> walked_places(std::span<const ManagerAt> told) {
  std::vector<ManagerPlace> places;
  for (const ManagerAt& each : told) places.push_back({each.cell, {each.node, each.address}});
  return places;
}

std::vector<WalkedCell> walked_cells(std::span<const ListedCell> told) {
  std::vector<WalkedCell> cells;
  for (const ListedCell& each : told) {
    cells.push_back({.cell = each.cell,
        .epoch = each.epoch,
        .parent = each.parent,
        .children = walked_places(each.children)});
  }
  return cells;
}

}  // namespace dunlin::sched
