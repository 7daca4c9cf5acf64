// SPDX-License-Identifier: MIT
#include "sched/listing/listings.h"

#include <algorithm>

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

/// The cells managed here, and places of others.
JobsListed told_cells(const ListingTurn& turn, std::uint64_t request) {
  JobsListed answer{.request = request};
  if (turn.cells == nullptr) return answer;
  for (const auto& hosted : turn.cells->hosted()) {
    if (!hosted->manager || answer.cells.size() == JobsListed::kCellsMax) continue;
    answer.cells.push_back(told_cell(*hosted));
  }
  for (const auto& [cell, where] :
      known_places(*turn.cells, turn.turn.now, JobsListed::kPlacesMax)) {
    answer.places.push_back(told_place(cell, where));
  }
  return answer;
}

}  // namespace

std::uint64_t Listings::begin(const ListingTurn& turn, const JobFilter& filter) {
  if (listings_.size() >= kOpenMax) return 0;
  constexpr std::uint64_t kUpper = 0xffff'ffff'0000'0000;
  std::uint64_t number = 0;
  while (number == 0 || listings_.contains(number)) number = turn.turn.rng() & kUpper;
  const auto [listing, is_new] = listings_.try_emplace(number, number, filter, turn.turn.now);
  listing->second.advance(turn);
  return number;
}

std::optional<ClusterJobs> Listings::take(std::uint64_t number) {
  const auto listing = listings_.find(number);
  if (listing == listings_.end() || !listing->second.done()) return std::nullopt;
  ClusterJobs jobs = listing->second.result();
  listings_.erase(listing);
  return jobs;
}

void Listings::receive(const ListingTurn& turn, const Endpoint& from, const ListJobs& asked) {
  if (!asked.cells) {
    turn.turn.out.send(
        from, NodesListed{.request = asked.request, .nodes = {turn.here(asked.filter)}});
    return;
  }
  turn.turn.out.send(from, told_cells(turn, asked.request));
  rolls_.begin(turn, from, asked);
}

void Listings::receive(const ListingTurn& turn, const Endpoint& from, const JobsListed& answer) {
  for (auto& [number, listing] : listings_) {
    if (listing.on_answer(from, answer)) return listing.advance(turn);
  }
}

void Listings::receive(const ListingTurn& turn, const Endpoint& from, const NodesListed& answer) {
  if (rolls_.on_answer(turn, from, answer)) return;
  for (auto& [number, listing] : listings_) {
    if (listing.on_answer(from, answer)) return listing.advance(turn);
  }
}

void Listings::wake(const ListingTurn& turn) {
  rolls_.wake(turn);
  for (auto& [number, listing] : listings_) {
    if (!listing.done() && listing.due() <= turn.turn.now) listing.advance(turn);
  }
}

Time Listings::deadline() const {
  Time earliest = rolls_.deadline();
  for (const auto& [number, listing] : listings_) {
    if (!listing.done()) earliest = std::min(earliest, listing.due());
  }
  return earliest;
}

}  // namespace dunlin::sched
