// SPDX-License-Identifier: MIT
#include "sched/federation/global/followed_cells.h"

#include <algorithm>
#include <vector>

#include "sched/listing/told_cells.h"

namespace dunlin::sched::federation {
namespace {

/// A walk is over after so long, whatever is missing.
constexpr Duration kWalkMax = std::chrono::seconds(3);
/// Without any place to begin it is tried again after so long: cells form in a few seconds.
constexpr Duration kSeekAgain = std::chrono::milliseconds(500);
/// News that were missed are asked for no more often.
constexpr Duration kCatchUpAgain = std::chrono::milliseconds(100);

}  // namespace

void FollowedCells::follow(const MastersTurn& turn,
    const GlobalView& view,
    std::span<const ManagerPlace> own,
    std::span<const ManagerPlace> known) {
  if (!walk_) {
    if (turn.now < next_) return;
    hurries_ = false;
    // Requests of one walk differ in the lower half.
    walk_.emplace(++walks_ << 32, turn.now + kWalkMax);
    std::vector<ManagerPlace> followed;
    followed.reserve(masters_.size());
    for (const auto& [cell, master] : masters_) followed.push_back({cell, master.where});
    walk_->begin(own, true);
    walk_->begin(known);
    walk_->begin(followed);
  }
  if (walk_->due() <= turn.now) advance(turn, view);
}

void FollowedCells::advance(const MastersTurn& turn, const GlobalView& view) {
  for (const CellWalk::Ask& ask : walk_->next(turn.now)) {
    turn.out.send(ask.to, attach(ask.to.id, ask.request, view));
  }
  if (!walk_->done()) return;
  const bool soon = walk_->managers().empty() || hurries_;
  walk_.reset();
  next_ = turn.now + (soon ? std::min(kSeekAgain, params_.heartbeat) : params_.heartbeat);
}

Attach FollowedCells::attach(PeerId node, std::uint64_t request, const GlobalView& view) const {
  Attach attach{.request = request,
      .incarnation = incarnation_,
      .places = params_.validate == Validate::worker};
  for (const auto& [cell, master] : masters_) {
    if (master.where.id != node || attach.known.size() == Attach::kKnownMax) continue;
    attach.known.push_back(view.known(cell));
  }
  return attach;
}

void FollowedCells::receive(
    const MastersTurn& turn, const Endpoint& from, const Attached& answer, const GlobalView& view) {
  if (!walk_) return;
  const bool asked = walk_->on_answer(
      from.id, answer.request, walked_cells(answer.cells), walked_places(answer.places));
  if (asked) advance(turn, view);
}

void FollowedCells::heard(const Endpoint& from, CellId cell, std::uint64_t epoch) {
  Master& master = masters_[cell];
  if (epoch < master.epoch) return;
  master.where = from;
  master.epoch = epoch;
}

void FollowedCells::catch_up(const MastersTurn& turn, CellId cell, const GlobalView& view) {
  const auto master = masters_.find(cell);
  if (master == masters_.end() || turn.now < master->second.caught_up + kCatchUpAgain) return;
  master->second.caught_up = turn.now;
  turn.out.send(master->second.where, attach(master->second.where.id, 0, view));
}

void FollowedCells::leave(const MastersTurn& turn) {
  for (const auto& [cell, master] : masters_) {
    turn.out.send(master.where, Attach{.incarnation = incarnation_, .leave = true});
  }
  masters_.clear();
  walk_.reset();
}

std::optional<Endpoint> FollowedCells::master_of(CellId cell) const {
  const auto master = masters_.find(cell);
  return master == masters_.end() ? std::nullopt : std::optional(master->second.where);
}

}  // namespace dunlin::sched::federation
