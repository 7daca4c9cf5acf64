// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

#include "overlay/time.h"

namespace dunlin::node {

/// Says when all nodes may be asked how they are: each time costs a datagram to every one of them,
/// and a client can ask for it ten thousand times a second. All who ask within kPeriod share one
/// answer; kBurst of them may come sooner, so that people never wait for it.
class Census {
 public:
  static constexpr overlay::Duration kPeriod = std::chrono::milliseconds(300);
  static constexpr std::int64_t kBurst = 4;

  /// The time from which on facts are new to one who asks now; empty: later, see next(). Where it
  /// is `now` for the first time the nodes are to be asked: then `ask` is true.
  struct Begun {
    overlay::Time at{};
    bool ask = false;
  };
  std::optional<Begun> begin(overlay::Time now) {
    if (last_ == now) return Begun{now, false};
    // Each takes a period of a row that lies in the past or near ahead.
    if (taken_ > now + kPeriod * (kBurst - 1)) return std::nullopt;
    taken_ = std::max(taken_, now) + kPeriod;
    last_ = now;
    return Begun{now, true};
  }
  /// The time of the next one, if begin() was refused.
  overlay::Time next() const { return taken_ - kPeriod * (kBurst - 1); }

 private:
  std::optional<overlay::Time> last_;
  overlay::Time taken_{};  ///< So far ahead the row of periods is taken.
};

}  // namespace dunlin::node
