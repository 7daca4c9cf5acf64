// SPDX-License-Identifier: MIT
#include "sim/medium.h"

#include <algorithm>

namespace dunlin::sim {

Passage Medium::pass(Time now, std::uint32_t from, std::uint32_t to, std::size_t bytes) {
  if (from >= sent_.size()) sent_.resize(from + 1);
  const std::uint32_t number = ++sent_[from];
  Passage passage{.delay = delay_(from, to, number)};
  if (from == to) return passage;
  if (faults_.parted(now, from, to)) return {.lost = true};
  if (bandwidth_ > 0) {
    if (from >= busy_.size()) busy_.resize(from + 1);
    const Time start = std::max(now, busy_[from]);
    if (start - now > backlog_) return {.lost = true};
    const double seconds = 8.0 * static_cast<double>(bytes) / (bandwidth_ * 1e6);
    busy_[from] = start + Duration{static_cast<Duration::rep>(1e9 * seconds)};
    passage.delay += busy_[from] - now;
  }
  // Lost on the way: it has taken its time on the sender's link.
  if (loss_ > 0) {
    Rng chance{Rng{seed_ ^ (from * 0x9e3779b97f4a7c15)}() ^ (number * 0xd1342543de82ef95)};
    passage.lost = chance.chance(loss_);
  }
  return passage;
}

}  // namespace dunlin::sim
