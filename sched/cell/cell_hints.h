// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "sched/cell/books_types.h"
#include "sched/cell/message.h"
#include "sched/kernel.h"

namespace dunlin::sched {

/// What gossip said of cells lately: at most kMax of them. Whoever acts on a hint asks the cell
/// itself. An old hint stays old however often it is passed on.
class CellHints {
 public:
  static constexpr std::size_t kMax = 64;

  void hear(Time now, Duration life, const cell::Hint& hint);
  void forget_old(Time now, Duration life);

  /// The newest `most`, with their ages, for gossip to carry.
  std::vector<cell::Hint> newest(Time now, std::size_t most) const;
  /// Nullptr if nothing is known of it.
  const cell::Hint* find(CellId cell) const;
  /// By cell. Those of one level that are not about to end.
  std::vector<cell::Hint> standing(std::uint8_t level) const;

 private:
  struct Heard {
    cell::Hint hint;
    Time said;  ///< By this node's clock.
  };

  std::vector<Heard> heard_;  ///< By cell.
};

}  // namespace dunlin::sched
