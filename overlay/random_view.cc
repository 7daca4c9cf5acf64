// SPDX-License-Identifier: MIT
#include "overlay/random_view.h"

#include <algorithm>
#include <utility>

#include "overlay/ensure.h"

// The view is a set in no order, so that a removal moves one link and a draw is a partial shuffle
// of its front. Ties for the oldest go to the least id: the same run must give the same choice on
// every machine, whatever order the links lie in.
namespace dunlin::overlay {

std::optional<Link> RandomView::find(PeerId peer) const {
  const std::size_t place = place_of(peer);
  if (place == size()) return std::nullopt;
  return links_.at(place);
}

// A peer twice in a view would be drawn twice as often, and its dead link would be tried twice.
void RandomView::add(const Link& link) {
  ensure(!full(), "a view over its capacity");
  ensure(!contains(link.id()), "a peer twice in a view");
  links_.push_back(link);
}

void RandomView::refresh(std::size_t place, const Link& news) {
  Link known = links_.at(place);
  if (!overlay::update(known.neighbour, news.neighbour)) return;
  // The link is the statement's: a newer one brings its own age along.
  known.linked = news.linked;
  links_.set(place, known);
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
  // The ids and times are compared in their packed rows; only the link taken is unpacked.
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
