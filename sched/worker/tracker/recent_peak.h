// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "sched/kernel.h"

namespace dunlin::sched {

/// The largest of the amounts that were added within some time. It is kept in parts of that time,
/// so an amount counts for up to an eighth of it longer.
class RecentPeak {
 public:
  void add(Time now, Duration span, std::uint32_t amount) {
    move_to(now, span);
    parts_[at_ % kParts] = std::max(parts_[at_ % kParts], amount);
  }
  std::uint32_t value() const { return *std::ranges::max_element(parts_); }

 private:
  static constexpr std::size_t kParts = 9;

  void move_to(Time now, Duration span) {
    const Duration part = std::max(span / static_cast<int>(kParts - 1), Duration{1});
    const auto next = static_cast<std::uint64_t>(now.time_since_epoch() / part);
    if (next - at_ >= kParts) {
      parts_.fill(0);
    } else {
      for (std::uint64_t i = at_ + 1; i <= next; ++i) parts_[i % kParts] = 0;
    }
    at_ = next;
  }

  std::array<std::uint32_t, kParts> parts_{};
  std::uint64_t at_ = 0;  ///< The part of time that counts now.
};

}  // namespace dunlin::sched
