// SPDX-License-Identifier: MIT
#include "overlay/graveyard.h"

#include <algorithm>

namespace dunlin::overlay {

std::vector<Graveyard::Grave>::const_iterator Graveyard::find(PeerId peer) const {
  return std::ranges::find(graves_, peer, [](const Grave& grave) { return grave.peer.id; });
}

void Graveyard::bury(const Endpoint& peer, std::uint32_t incarnation, Burial burial, Time now) {
  if (capacity_ == 0) return;
  Grave grave{peer, incarnation, burial, now};
  if (const auto old = find(peer.id); old != graves_.end()) {
    if (old->incarnation > grave.incarnation) return;
    // A better reason is not overwritten by "it did not answer": of course not.
    if (old->incarnation == grave.incarnation) grave.burial = std::max(old->burial, burial);
    graves_.erase(old);
  }
  if (graves_.size() == capacity_) graves_.erase(graves_.begin());
  graves_.push_back(grave);
}

std::optional<Graveyard::Grave> Graveyard::raise(PeerId peer) {
  const auto found = find(peer);
  if (found == graves_.end() || found->burial == Burial::left) return std::nullopt;
  const Grave grave = *found;
  graves_.erase(found);
  return grave;
}

bool Graveyard::holds(const Neighbour& news) const {
  const auto found = find(news.peer.id);
  if (found == graves_.end() || news.peer.incarnation > found->incarnation) return false;
  return news.peer.incarnation < found->incarnation || found->burial == Burial::left ||
      news.born <= found->died;
}

bool Graveyard::refuses(const Neighbour& news) {
  if (holds(news)) return true;
  if (const auto found = find(news.peer.id); found != graves_.end()) graves_.erase(found);
  return false;
}

std::optional<Endpoint> Graveyard::draw(Rng& rng) const {
  const auto may_answer = [](const Grave& grave) { return grave.burial != Burial::left; };
  const auto count = std::ranges::count_if(graves_, may_answer);
  if (count == 0) return std::nullopt;
  auto skip = rng.index(static_cast<std::size_t>(count));
  for (const Grave& grave : graves_) {
    if (may_answer(grave) && skip-- == 0) return grave.peer;
  }
  return std::nullopt;
}

}  // namespace dunlin::overlay
