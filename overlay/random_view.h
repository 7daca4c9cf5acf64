// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "overlay/neighbour.h"
#include "overlay/rng.h"

namespace dunlin::overlay {

/// One pointer of Cyclon's view.
struct Link {
  Neighbour neighbour;
  /// When its owner put this very pointer into the world: what "oldest" means, and the age that
  /// shuffles carry. News of the peer that come by other ways make `neighbour` younger and leave
  /// this alone: else peers that are much talked to would be shuffled with last, and gather links.
  Time linked;

  PeerId id() const { return neighbour.peer.id; }
};

/// At most `capacity` links to different peers, in no particular order.
class RandomView {
 public:
  explicit RandomView(std::size_t capacity) : capacity_(capacity) { links_.reserve(capacity); }

  std::span<const Link> links() const { return links_; }
  std::size_t size() const { return links_.size(); }
  bool empty() const { return links_.empty(); }
  bool full() const { return links_.size() >= capacity_; }

  /// Null if there is none.
  Link* find(PeerId peer);
  const Link* find(PeerId peer) const;

  /// Requires that the peer is not in the view, and !full().
  void add(const Link& link);
  /// `link` takes the place of `old`. Requires that `old` is in the view, and link.id() is not.
  void replace(PeerId old, const Link& link);
  /// False if it was not there.
  bool remove(PeerId peer);
  /// Removes the link that was put into the world first; of equals, that with the least id.
  /// Requires !empty().
  Link take_oldest();

  /// `count` different links by chance, or all. Valid until the next change: they stand at the
  /// front of the view now.
  std::span<const Link> draw(Rng& rng, std::size_t count);

 private:
  std::vector<Link> links_;
  std::size_t capacity_;
};

}  // namespace dunlin::overlay
