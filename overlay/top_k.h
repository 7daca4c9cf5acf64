// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>

#include "overlay/inline_vector.h"
#include "overlay/ranking.h"

namespace dunlin::overlay {

/// The most wanted of different peers that are offered one by one, in order. Most offers are not
/// wanted: so each is compared with the last place first. Of the peers it knows no more than a
/// number each.
class TopK {
 public:
  using Place = Preference::Place;
  /// Views are of at most so many.
  static constexpr std::size_t kMost = 64;

  explicit TopK(std::size_t most) : most_(std::min(most, kMost)) {}

  bool wants(const Place& place) const {
    return order_.size() < most_ || (most_ > 0 && place < order_.back().place);
  }
  void offer(const Place& place, std::size_t peer) {
    if (!wants(place)) return;
    if (order_.size() < most_) order_.emplace_back();
    Ranked* at = order_.end() - 1;
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
