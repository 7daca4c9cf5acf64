// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>

#include "overlay/inline_vector.h"
#include "overlay/ranking.h"

namespace dunlin::overlay {

/// Keeps the k most wanted of different peers that are offered one by one. Most offers are not
/// wanted, so each is compared with the last place first. It knows a peer only by the number that
/// the caller gave it.
class TopK {
 public:
  using Place = Preference::Place;
  /// The greatest k: views hold no more.
  static constexpr std::size_t kSizeMax = 64;

  explicit TopK(std::size_t size_max) : size_max_(std::min(size_max, kSizeMax)) {}

  bool wants(const Place& place) const {
    return order_.size() < size_max_ || (size_max_ > 0 && place < order_.back().place);
  }
  void offer(const Place& place, std::size_t peer) {
    if (!wants(place)) return;
    if (order_.size() < size_max_) order_.emplace_back();
    Ranked* at = order_.end() - 1;
    // Insertion into a short sorted list beats a heap here: k is small, and most offers end above.
    for (; at != order_.begin() && place < (at - 1)->place; --at) *at = *(at - 1);
    *at = {place, peer};
  }
  std::size_t size() const { return order_.size(); }
  std::size_t operator[](std::size_t i) const { return order_[i].peer; }

 private:
  struct Ranked {
    Place place;
    std::size_t peer = 0;
  };

  std::size_t size_max_;
  InlineVector<Ranked, kSizeMax> order_;
};

}  // namespace dunlin::overlay
