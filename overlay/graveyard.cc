// SPDX-License-Identifier: MIT
#include "overlay/graveyard.h"

#include <algorithm>

namespace dunlin::overlay {

std::size_t Graveyard::place_of(PeerId peer) const {
  const auto found =
      std::ranges::find(graves_, peer, [](const Grave& grave) { return grave.peer.id; });
  return static_cast<std::size_t>(found - graves_.begin());
}

void Graveyard::bury(const Endpoint& peer, std::uint32_t incarnation, Burial burial, Time now) {
  if (capacity_ == 0) return;
  Grave grave{peer, incarnation, burial, now};
  if (const std::size_t place = place_of(peer.id); place < graves_.size()) {
    const Grave& old = graves_[place];
    if (old.incarnation > grave.incarnation) return;
    // A better reason is not overwritten by "it did not answer": of course not.
    if (old.incarnation == grave.incarnation) grave.burial = std::max(old.burial, burial);
    graves_.erase(place);
  }
  if (graves_.size() == capacity_) graves_.erase(0);
  graves_.push_back(grave);
}

std::optional<Graveyard::Grave> Graveyard::raise(PeerId peer) {
  const std::size_t place = place_of(peer);
  if (place == graves_.size() || graves_[place].burial == Burial::left) return std::nullopt;
  const Grave grave = graves_[place];
  graves_.erase(place);
  return grave;
}

bool Graveyard::holds(const Neighbour& news) const {
  const std::size_t place = place_of(news.peer.id);
  if (place == graves_.size()) return false;
  const Grave& grave = graves_[place];
  if (news.peer.incarnation > grave.incarnation) return false;
  return news.peer.incarnation < grave.incarnation || grave.burial == Burial::left ||
      news.born <= grave.died;
}

bool Graveyard::refuses(const Neighbour& news) {
  if (holds(news)) return true;
  if (const auto place = place_of(news.peer.id); place < graves_.size()) graves_.erase(place);
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
