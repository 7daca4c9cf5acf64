// SPDX-License-Identifier: MIT
#include "sched/listing/listings.h"

#include <algorithm>

#include "sched/listing/told_cells.h"

namespace dunlin::sched {

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
  turn.turn.out.send(from,
      JobsListed{.request = asked.request,
          .cells = told_cells(turn.cells, JobsListed::kCellsMax),
          .places = told_places(turn.cells, turn.turn.now, JobsListed::kPlacesMax)});
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
