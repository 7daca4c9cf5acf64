// SPDX-License-Identifier: MIT
#include "overlay/random_view.h"

#include <algorithm>
#include <utility>

#include "overlay/ensure.h"

namespace dunlin::overlay {

std::optional<Link> RandomView::find(PeerId peer) const {
  const std::size_t place = place_of(peer);
  if (place == size()) return std::nullopt;
  return links_.at(place);
}

void RandomView::add(const Link& link) {
  ensure(!full(), "a view over its capacity");
  ensure(!contains(link.id()), "a peer twice in a view");
  links_.push_back(link);
}

void RandomView::update(const Link& link) {
  const std::size_t place = place_of(link.id());
  ensure(place < size(), "nothing to update");
  links_.set(place, link);
}

bool RandomView::remove(PeerId peer) {
  const std::size_t place = place_of(peer);
  if (place == size()) return false;
  links_.erase(place);
  return true;
}

Link RandomView::take_oldest() {
  ensure(!empty(), "the oldest of nothing");
  const auto ids = links_.ids();
  std::size_t oldest = 0;
  Time since = links_.linked(0);
  for (std::size_t i = 1; i < size(); ++i) {
    const Time linked = links_.linked(i);
    if (linked > since || (linked == since && ids[i] > ids[oldest])) continue;
    oldest = i;
    since = linked;
  }
  const Link taken = links_.at(oldest);
  links_.erase(oldest);
  return taken;
}

void RandomView::shuffle_front(Rng& rng, std::size_t count) {
  for (std::size_t i = 0; i < count && i + 1 < size(); ++i) {
    links_.swap(i, i + rng.index(size() - i));
  }
}

}  // namespace dunlin::overlay
