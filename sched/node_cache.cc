// SPDX-License-Identifier: MIT
#include "sched/node_cache.h"

#include <algorithm>

// A ring: newcomers overwrite the oldest places in turn. Which node goes first hardly matters,
// since a node that is still there will be heard of again. A known node is updated in place, so
// that no node stands there twice.
namespace dunlin::sched {

using overlay::Neighbour;

void NodeCache::hear(Time now, const overlay::Descriptor& statement) {
  if (size_max_ == 0 || !statement.id || !statement.address) return;
  const Neighbour news = overlay::heard(statement, now);
  const auto known =
      std::ranges::find(nodes_, statement.id, [](const Neighbour& node) { return node.peer.id; });
  if (known != nodes_.end()) {
    overlay::update(*known, news);
  } else if (nodes_.size() < size_max_) {
    nodes_.push_back(news);
  } else {
    nodes_[next_] = news;
    next_ = (next_ + 1) % size_max_;
  }
}

void NodeCache::forget(PeerId peer) {
  std::erase_if(nodes_, [&](const Neighbour& node) { return node.peer.id == peer; });
  if (next_ >= nodes_.size()) next_ = 0;
}

}  // namespace dunlin::sched
