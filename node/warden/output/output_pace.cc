// SPDX-License-Identifier: MIT
#include "node/warden/output/output_pace.h"

#include <algorithm>

namespace dunlin::node::warden {
namespace {

/// In each step streams may write this part of the room that is to stay.
constexpr std::uint64_t kShare = 200;

}  // namespace

bool OutputPace::step(Clock::time_point now, std::uint64_t room_min) {
  if (now < over_) return false;
  over_ = now + kStep;
  room_min_ = room_min;
  slowly_ = std::max(room_min / kShare, kLittle);
  ahead_ = 0;
  return true;
}

std::uint64_t OutputPace::grant(
    std::uint64_t moved, const std::function<std::optional<std::uint64_t>()>& room) {
  if (room_min_ == 0) return kTurn;
  if (moved < kLittle) return kLittle;
  if (ahead_ < kLittle) {
    const std::uint64_t free = room().value_or(~std::uint64_t{0});
    ahead_ = free > room_min_ ? (free - room_min_) / 2 : 0;
  }
  if (ahead_ >= kLittle) {
    const std::uint64_t bytes = std::min(ahead_, kTurn);
    ahead_ -= bytes;
    return bytes;
  }
  if (slowly_ < kLittle) return 0;
  slowly_ -= kLittle;
  return kLittle;
}

}  // namespace dunlin::node::warden
