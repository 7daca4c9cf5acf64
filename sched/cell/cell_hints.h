// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "overlay/rng.h"
#include "sched/cell/message.h"
#include "sched/kernel.h"
#include "sched/ledger/books_types.h"

namespace dunlin::sched {

/// The cells that gossip spoke of lately, kMax at most. A hint may be old or wrong, so a node that
/// acts on one asks the cell itself. A hint carries its age along: passing it on makes it no
/// younger.
///
/// Cells of a higher level are few, and all must hear of each other, or the trees they are roots of
/// never become one. So levels share the room here and in gossip, and a cell of a level that takes
/// more of it makes way first; of one level, a full cell does.
class CellHints {
 public:
  static constexpr std::size_t kMax = 64;

  /// Takes in a hint that is newer than what is known of that cell, and younger than `life`.
  void hear(Time now, Duration life, const cell::Hint& hint);
  /// Drops hints of age `life` or more: their cells may have ended.
  void forget_old(Time now, Duration life);
  /// The cell itself said that it has no room; a newer hint may say otherwise.
  void full(CellId cell);

  /// At most `count_max` hints with their ages, for gossip to carry. The highest level gets half of
  /// the places, if it has so many; the next level half of what is left, and so on. Within a level
  /// chance decides, so that all get round; at level 0 cells with room go first.
  std::vector<cell::Hint> drawn(Time now, std::size_t count_max, Rng& rng) const;
  /// The newest `count_max`, with their ages.
  std::vector<cell::Hint> newest(Time now, std::size_t count_max) const;
  /// Nullptr if nothing is known of it.
  const cell::Hint* find(CellId cell) const;
  /// The time since its manager said what is known of it; empty if nothing is.
  std::optional<Duration> age(Time now, CellId cell) const;
  /// The cells of one level that are not about to end, by cell.
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
