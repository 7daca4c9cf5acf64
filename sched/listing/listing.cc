// SPDX-License-Identifier: MIT
#include "sched/listing/listing.h"

#include <algorithm>

#include "sched/cell/manager_places.h"
#include "sched/listing/told_cells.h"

// Managers say at once where others are, so the walk does not wait for their members: all cells are
// asked at the same time, and one dead member delays the list by the patience of one manager.
namespace dunlin::sched {
namespace {

/// Requests from there on are not the walk's.
constexpr std::uint64_t kAgain = std::uint64_t{1} << 31;

}  // namespace

Listing::Listing(std::uint64_t number, const JobFilter& filter, Time now)
    : number_(number),
      filter_(filter),
      until_(now + kWaitMax),
      walk_(number, until_, kPace),
      again_last_(number + kAgain) {}

void Listing::ask(const ListingTurn& turn, const Endpoint& to, std::uint64_t request) {
  asked_[request] = to.id;
  turn.turn.out.send(
      to, ListJobs{.request = request, .cells = true, .filter = filter_, .list = number_});
}

void Listing::advance(const ListingTurn& turn) {
  const Time now = turn.turn.now;
  if (done_) return;
  if (!begun_ && turn.cells != nullptr) {
    walk_.begin(own_places(*turn.cells, turn.self), true);
    walk_.begin(known_places(*turn.cells, now, JobsListed::kPlacesMax));
  }
  begun_ = true;
  for (const CellWalk::Ask& each : walk_.next(now)) ask(turn, each.to, each.request);
  expect_rolls(now);
  ask_for_rolls(turn);
  const bool all_told =
      std::ranges::all_of(expected_, [](const auto& each) { return each.second.told; });
  done_ = now >= until_ || (walk_.done() && all_told);
  due_ = walk_.done() ? until_ : std::min(until_, walk_.due());
  for (const auto& [cell, expected] : expected_) {
    if (!expected.told) due_ = std::min(due_, expected.again);
  }
}

/// A cell of nodes has been heard of from its manager, perhaps from a new one.
void Listing::expect_rolls(Time now) {
  for (const auto& [cell, manager] : walk_.managers()) {
    if (level_of(cell) != 0) continue;
    Expected& expected = expected_[cell];
    if (expected.told || expected.manager == manager.node) continue;
    expected = {.manager = manager.node, .again = now + kAskAgain};
  }
}

void Listing::ask_for_rolls(const ListingTurn& turn) {
  for (auto& [cell, expected] : expected_) {
    if (expected.told || expected.again > turn.turn.now) continue;
    expected.again = turn.turn.now + kAskAgain;
    ask(turn, walk_.where(expected.manager), ++again_last_);
  }
}

bool Listing::on_answer(const Endpoint& from, const JobsListed& answer) {
  return walk_.on_answer(
      from.id, answer.request, walked_cells(answer.cells), walked_places(answer.places));
}

bool Listing::on_answer(const Endpoint& from, const NodesListed& answer) {
  const auto asked = asked_.find(answer.request);
  if (done_ || asked == asked_.end() || asked->second != from.id) return false;
  // If the cell has a new manager by now, that one is waited for, and what this one told stays.
  Expected& expected = expected_[answer.cell];
  if (!expected.manager || expected.manager == from.id) expected.told = true;
  for (const NodeJobs& told : answer.nodes) {
    if (nodes_.size() >= kNodesMax && !nodes_.contains(told.node)) continue;
    const auto [at, is_new] = nodes_.try_emplace(told.node, told);
    // A node that moves from cell to cell is told of by both, and may be deaf to one.
    if (!is_new && at->second.silent) at->second = told;
  }
  return true;
}

ClusterJobs Listing::result() const {
  ClusterJobs jobs{.nodes = {}, .silent = walk_.silent()};
  for (const auto& [id, node] : nodes_) jobs.nodes.push_back(node);
  for (const auto& [cell, expected] : expected_) {
    if (!expected.told) jobs.silent[cell] = "its manager did not tell what its members have";
  }
  return jobs;
}

}  // namespace dunlin::sched
