// SPDX-License-Identifier: MIT
#include "overlay/ranking.h"

#include <bit>

namespace dunlin::overlay {
namespace {

/// A stranger may claim more free than there is.
double free_share(std::uint32_t free, std::uint32_t total) {
  if (total == 0) return 0;
  if (free >= total) return 1;
  return static_cast<double>(free) / static_cast<double>(total);
}

enum class Side : std::uint64_t { equal, above, below };

/// First by side, then by a distance in [0, 1], as one number: the bits of positive floating-point
/// numbers order as they do, and those up to 1 leave the first two unused.
std::uint64_t level_of(Side side, double distance) {
  return static_cast<std::uint64_t>(side) << 62 | std::bit_cast<std::uint64_t>(distance);
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
  if (ranking_ == Ranking::highest) return {~level_of(Side::equal, height), turn};
  if (height > height_) return {level_of(Side::above, height - height_), turn};
  if (height < height_) return {level_of(Side::below, height_ - height), turn};
  return {.turn = turn};
}

}  // namespace dunlin::overlay
