// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "sched/cell/cell_turn.h"

namespace dunlin::sched {

/// Tells new orders from those that came before. The network may double, delay and reorder them,
/// and an order that is obeyed twice moves savings twice.
class SeenOrders {
 public:
  /// Orders of one epoch among which the order does not matter: one that is so many behind the
  /// latest counts as seen.
  static constexpr std::uint64_t kWindow = 64;

  /// True the first time that this order comes. Orders of another parent begin anew.
  bool take(const cell::Order& order) {
    const bool next_epoch = order.parent == parent_ && order.epoch > epoch_;
    if (order.parent != parent_ || next_epoch) {
      *this = {};
      parent_ = order.parent;
      epoch_ = order.epoch;
    }
    if (order.epoch < epoch_) return false;
    if (order.number > last_) {
      const std::uint64_t step = order.number - last_;
      seen_ = step < kWindow ? seen_ << step : 0;
      last_ = order.number;
    }
    const std::uint64_t behind = last_ - order.number;
    if (behind >= kWindow || (seen_ >> behind & 1) != 0) return false;
    seen_ |= std::uint64_t{1} << behind;
    return true;
  }

 private:
  CellId parent_;
  Epoch epoch_ = 0;
  std::uint64_t last_ = 0;  ///< The highest number of the epoch.
  std::uint64_t seen_ = 0;  ///< Bit i: the order of number last_ - i came.
};

}  // namespace dunlin::sched
