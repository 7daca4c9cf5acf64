// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "overlay/time.h"

namespace dunlin::overlay {

/// One deadline per kind of timer, in a fixed table: no handles, no cancellation, no stale timers.
/// `Kind` is an enum that ends in the enumerator `count_`.
template <typename Kind>
class Deadlines {
 public:
  constexpr Deadlines() { times_.fill(kNever); }

  constexpr void set(Kind kind, Time when) { times_[index(kind)] = when; }
  /// Moves the deadline forward to `when` if it was later.
  constexpr void no_later(Kind kind, Time when) {
    times_[index(kind)] = std::min(times_[index(kind)], when);
  }
  constexpr void clear(Kind kind) { set(kind, kNever); }
  constexpr Time at(Kind kind) const { return times_[index(kind)]; }
  constexpr Time earliest() const { return *std::ranges::min_element(times_); }

  /// True, once, if the deadline has come. The deadline is cleared then.
  constexpr bool take(Kind kind, Time now) {
    if (at(kind) > now) return false;
    clear(kind);
    return true;
  }

 private:
  static constexpr std::size_t index(Kind kind) { return static_cast<std::size_t>(kind); }
  std::array<Time, static_cast<std::size_t>(Kind::count_)> times_{};
};

}  // namespace dunlin::overlay
