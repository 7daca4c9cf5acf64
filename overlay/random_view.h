// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <ranges>
#include <span>

#include "overlay/packed_links.h"
#include "overlay/rng.h"

namespace dunlin::overlay {

/// At most `capacity` links to different peers, in no particular order.
class RandomView {
 public:
  explicit RandomView(std::size_t capacity) : links_(capacity) {}

  /// The first links: a range of Link, by value. Borrows this view until the next change.
  auto first(std::size_t count) const {
    return std::views::iota(0u, static_cast<unsigned>(count)) |
        std::views::transform([this](unsigned i) { return links_.at(i); });
  }
  auto links() const { return first(size()); }
  void prefetch() const { links_.prefetch(); }
  /// The ids of the links, in their order.
  std::span<const PeerId> ids() const { return links_.ids(); }
  std::size_t size() const { return links_.size(); }
  bool empty() const { return size() == 0; }
  bool full() const { return size() >= links_.capacity(); }

  /// The index of a peer in the view; size() if it is not there. Valid until the next change.
  std::size_t place_of(PeerId peer) const {
    const auto ids = links_.ids();
    return static_cast<std::size_t>(std::ranges::find(ids, peer) - ids.begin());
  }
  bool contains(PeerId peer) const { return place_of(peer) < size(); }
  /// Empty if there is none.
  std::optional<Link> find(PeerId peer) const;
  Link at(std::size_t i) const { return links_.at(i); }
  Time born(std::size_t i) const { return links_.born(i); }
  PackedLinks::Offer offer(std::size_t i) const { return links_.offer(i); }

  /// Requires that the peer is not in the view, and !full().
  void add(const Link& link);
  /// `link` takes the place of another, or of an older one to the same peer. Requires that the peer
  /// is nowhere else in the view.
  void put(std::size_t place, const Link& link) { links_.set(place, link); }
  /// The link at `place` becomes `news` of the same peer, if `news` is fresher.
  void refresh(std::size_t place, const Link& news);
  /// Replaces what is known of a peer. Requires that the peer is in the view.
  void update(const Link& link);
  /// False if it was not there.
  bool remove(PeerId peer);
  /// Removes and returns the link that was made first; of several, the one with the least id.
  /// Requires !empty().
  Link take_oldest();

  /// `count` different links by chance, or all: a range as of links().
  auto draw(Rng& rng, std::size_t count) {
    shuffle_front(rng, count);
    return first(std::min(count, size()));
  }

 private:
  /// Moves `count` links drawn by chance to the front.
  void shuffle_front(Rng& rng, std::size_t count);

  PackedLinks links_;
};

}  // namespace dunlin::overlay
