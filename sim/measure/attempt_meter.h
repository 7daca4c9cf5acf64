// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "overlay/time.h"

namespace dunlin::sim {

using overlay::Duration;
using overlay::Time;

/// Counts attempts where they begin and where they cease, and the time between against the work
/// that was measured: two ways to the same sums, which must meet. Sums are modulo 2^64 ns, as only
/// their difference counts.
class AttemptMeter {
 public:
  /// An attempt begins to run.
  void begin(Time now) {
    ++begun_;
    // Beginnings are taken off and ends are added: what is left in the sum is the time between,
    // without a record for each attempt.
    ran_ -= ns_of(now.time_since_epoch());
  }
  /// It runs no more: it ended by itself, or was stopped.
  void cease(Time at, bool by_itself) {
    ++(by_itself ? ended_ : stopped_);
    ran_ += ns_of(at.time_since_epoch());
  }
  /// It still runs at the end of the run.
  void leave(Time at) {
    ++left_;
    ran_ += ns_of(at.time_since_epoch());
  }
  /// It had stood still for so long.
  void stood_still(Duration time) { ran_ -= ns_of(time); }
  /// Work was measured.
  void work(Time begin, Time end) {
    ++measured_;
    work_ += ns_of(end - begin);
  }

  std::uint64_t begun() const { return begun_; }
  std::uint64_t ended() const { return ended_; }
  std::uint64_t stopped() const { return stopped_; }
  std::uint64_t left() const { return left_; }
  /// True if each attempt that began has ceased or was left, and the work of each was measured.
  bool all_told() const { return begun_ == ended_ + stopped_ + left_ && measured_ == begun_; }
  /// True if the time that attempts ran is the time of the work that was measured.
  bool work_balances() const { return ran_ == work_; }

 private:
  static std::uint64_t ns_of(Duration duration) {
    return static_cast<std::uint64_t>(duration.count());
  }

  std::uint64_t begun_ = 0;
  std::uint64_t ended_ = 0;
  std::uint64_t stopped_ = 0;
  std::uint64_t left_ = 0;
  std::uint64_t measured_ = 0;
  std::uint64_t ran_ = 0;
  std::uint64_t work_ = 0;
};

}  // namespace dunlin::sim
