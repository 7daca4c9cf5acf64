// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "overlay/rng.h"
#include "sched/cell/message.h"
#include "sched/kernel.h"
#include "sched/ledger/books_types.h"

namespace dunlin::sched {

/// What gossip said of cells lately: at most kMax of them. Whoever acts on a hint asks the cell
/// itself. An old hint stays old however often it is passed on.
///
/// Cells of a higher level are few, and all must hear of each other, or the trees they are roots of
/// never become one. So levels share the room here and in gossip, and a cell of a level that takes
/// more of it makes way first; of one level, a cell with no room for anybody does.
class CellHints {
 public:
  static constexpr std::size_t kMax = 64;

  void hear(Time now, Duration life, const cell::Hint& hint);
  void forget_old(Time now, Duration life);
  /// The cell itself said that it has no room; a newer hint may say otherwise.
  void full(CellId cell);

  /// At most `most`, with their ages, for gossip to carry: of the highest level half of them, if
  /// there are so many, of the next half of what is left, and so on; drawn by chance, so that all
  /// get round, but of level 0 rather those with room.
  std::vector<cell::Hint> drawn(Time now, std::size_t most, Rng& rng) const;
  /// The newest `most`, with their ages.
  std::vector<cell::Hint> newest(Time now, std::size_t most) const;
  /// Nullptr if nothing is known of it.
  const cell::Hint* find(CellId cell) const;
  /// How long ago its manager said what is known; empty if nothing is.
  std::optional<Duration> age(Time now, CellId cell) const;
  /// By cell. Those of one level that are not about to end.
  std::vector<cell::Hint> standing(std::uint8_t level) const;
  /// With their ages.
  std::vector<cell::Hint> standing(Time now, std::uint8_t level) const;

 private:
  struct Heard {
    cell::Hint hint;
    Time said;  ///< By this node's clock.
  };

  void make_room();
  cell::Hint aged(const Heard& heard, Time now) const;

  std::vector<Heard> heard_;  ///< By cell, so level by level.
};

}  // namespace dunlin::sched
