// SPDX-License-Identifier: MIT
#include "overlay/tombstones.h"

#include <algorithm>

// A failed peer leaves a tombstone for two reasons: statements that it made before it failed still
// wander through other views and must not bring it back, and it may only have been cut off, so it
// is worth another try.
// A tombstone yields to proof of life: a message of the peer itself, a later incarnation, or a
// statement born after the failure. A peer that said good-bye yields to a later incarnation only,
// because its own late messages may still be on their way.
namespace dunlin::overlay {

std::size_t Tombstones::place_of(PeerId peer) const {
  const auto found = std::ranges::find(
      tombstones_, peer, [](const Tombstone& tombstone) { return tombstone.peer.id; });
  return static_cast<std::size_t>(found - tombstones_.begin());
}

void Tombstones::add(const Endpoint& peer, std::uint32_t incarnation, GoneReason reason, Time now) {
  if (capacity_ == 0) return;
  Tombstone tombstone{peer, incarnation, reason, now};
  if (const std::size_t place = place_of(peer.id); place < tombstones_.size()) {
    const Tombstone& old = tombstones_[place];
    if (old.incarnation > tombstone.incarnation) return;
    // A reason once known is kept: a peer that left does not answer, which is no news.
    if (old.incarnation == tombstone.incarnation) tombstone.reason = std::max(old.reason, reason);
    tombstones_.erase(place);
  }
  // The oldest goes, because most statements that it would refuse have aged out of all views.
  if (tombstones_.size() == capacity_) tombstones_.erase(0);
  tombstones_.push_back(tombstone);
}

std::optional<Tombstones::Tombstone> Tombstones::lift(PeerId peer) {
  const std::size_t place = place_of(peer);
  if (place == tombstones_.size() || tombstones_[place].reason == GoneReason::left)
    return std::nullopt;
  const Tombstone tombstone = tombstones_[place];
  tombstones_.erase(place);
  return tombstone;
}

bool Tombstones::holds(const Neighbour& news) const {
  const std::size_t place = place_of(news.peer.id);
  if (place == tombstones_.size()) return false;
  const Tombstone& tombstone = tombstones_[place];
  if (news.peer.incarnation > tombstone.incarnation) return false;
  return news.peer.incarnation < tombstone.incarnation || tombstone.reason == GoneReason::left ||
      news.born <= tombstone.died;
}

bool Tombstones::refuses(const Neighbour& news) {
  if (holds(news)) return true;
  if (const auto place = place_of(news.peer.id); place < tombstones_.size())
    tombstones_.erase(place);
  return false;
}

std::optional<Endpoint> Tombstones::draw(Rng& rng) const {
  const auto may_answer = [](const Tombstone& tombstone) {
    return tombstone.reason != GoneReason::left;
  };
  const auto count = std::ranges::count_if(tombstones_, may_answer);
  if (count == 0) return std::nullopt;
  auto skip = rng.index(static_cast<std::size_t>(count));
  for (const Tombstone& tombstone : tombstones_) {
    if (may_answer(tombstone) && skip-- == 0) return tombstone.peer;
  }
  return std::nullopt;
}

}  // namespace dunlin::overlay
