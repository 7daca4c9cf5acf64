// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "node/message.h"
#include "overlay/time.h"
#include "sched/ledger/books_types.h"

namespace dunlin::sched {
class CellNode;
}  // namespace dunlin::sched

namespace dunlin::node {

/// What each class had saved in the cells that this node manages, each minute of the last two
/// hours. Whoever becomes the manager begins with nothing, and forgets all when another one is.
class BalanceRing {
 public:
  static constexpr overlay::Duration kStep = std::chrono::minutes(1);
  static constexpr std::size_t kSize = ReportedBalances::kValuesMax;
  /// Of a cell, by class.
  using Balances = std::map<sched::ClassId, sched::Tickets>;

  /// Notes what the books say, if a minute has begun. Call it each second; nullptr: nobody shares.
  void look(overlay::Time now, const sched::CellNode* cells);
  /// The balances of this minute, of all cells that are managed here; others are forgotten. A
  /// minute in which nobody noted anything breaks what came before: it is forgotten, too.
  void add(overlay::Time now, std::map<sched::CellId, Balances> cells);
  /// For each class of the newest minute, as a report has it; a class that was none before had
  /// saved nothing then. Empty for a cell that is not managed here.
  std::vector<ReportedBalances> of(sched::CellId cell) const;

 private:
  std::int64_t minute_ = -1;                             ///< The last that was noted.
  std::map<sched::CellId, std::deque<Balances>> cells_;  ///< By minute, the newest last.
};

}  // namespace dunlin::node
