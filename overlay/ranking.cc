// SPDX-License-Identifier: MIT
#include "overlay/ranking.h"

#include <algorithm>

namespace dunlin::overlay {
namespace {

/// A stranger may claim more free than there is.
double free_share(std::uint32_t free, std::uint32_t total) {
  if (total == 0) return 0;
  return std::min(1.0, static_cast<double>(free) / static_cast<double>(total));
}

}  // namespace

double utility(const Descriptor& peer, Utility kind) {
  switch (kind) {
    case Utility::cpu:
      return free_share(peer.cpu_free, peer.cpu_total);
    case Utility::memory:
      return free_share(peer.memory_free, peer.memory_total);
    case Utility::cpu_memory:
      break;
  }
  return free_share(peer.cpu_free, peer.cpu_total) *
      free_share(peer.memory_free, peer.memory_total);
}

Preference::Place Preference::place(const Descriptor& peer) const {
  const double height = utility(peer, kind_);
  const std::uint64_t turn = peer.id.value - base_.value;
  if (ranking_ == Ranking::highest) return {.distance = -height, .turn = turn};
  if (height > height_) return {.side = 1, .distance = height - height_, .turn = turn};
  if (height < height_) return {.side = 2, .distance = height_ - height, .turn = turn};
  return {.turn = turn};
}

}  // namespace dunlin::overlay
