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
  static constexpr std::size_t kMost = 64;

  explicit TopK(std::size_t most) : most_(std::min(most, kMost)) {}

  bool wants(const Place& place) const {
    return order_.size() < most_ || (most_ > 0 && place < order_.back().place);
  }
  void offer(const Place& place, std::size_t peer) {
    if (!wants(place)) return;
    if (order_.size() < most_) order_.emplace_back();
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

  std::size_t most_;
  InlineVector<Ranked, kMost> order_;
};

}  // namespace dunlin::overlay
