// SPDX-License-Identifier: MIT
#include "overlay/random_view.h"

#include <algorithm>
#include <utility>

#include "overlay/ensure.h"

namespace dunlin::overlay {

Link* RandomView::find(PeerId peer) {
  const auto found = std::ranges::find(links_, peer, &Link::id);
  return found == links_.end() ? nullptr : &*found;
}

const Link* RandomView::find(PeerId peer) const {
  const auto found = std::ranges::find(links_, peer, &Link::id);
  return found == links_.end() ? nullptr : &*found;
}

void RandomView::add(const Link& link) {
  ensure(!full(), "a view over its capacity");
  ensure(find(link.id()) == nullptr, "a peer twice in a view");
  links_.push_back(link);
}

void RandomView::replace(PeerId old, const Link& link) {
  Link* const place = find(old);
  ensure(place != nullptr && find(link.id()) == nullptr, "nothing to replace, or a peer twice");
  *place = link;
}

bool RandomView::remove(PeerId peer) {
  Link* const found = find(peer);
  if (found == nullptr) return false;
  *found = links_.back();
  links_.pop_back();
  return true;
}

Link RandomView::take_oldest() {
  ensure(!empty(), "the oldest of nothing");
  const auto oldest = std::ranges::min_element(
      links_, {}, [](const Link& link) { return std::pair(link.linked, link.id()); });
  const Link taken = *oldest;
  *oldest = links_.back();
  links_.pop_back();
  return taken;
}

std::span<const Link> RandomView::draw(Rng& rng, std::size_t count) {
  rng.draw_front(std::span(links_), count);
  return std::span(links_).first(std::min(count, links_.size()));
}

}  // namespace dunlin::overlay
