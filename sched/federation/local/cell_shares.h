// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sched/federation/message.h"
#include "sched/kernel.h"
#include "sched/ledger/books_types.h"
#include "sched/worker/share/class_balance.h"

namespace dunlin::sched::federation {

/// What the tasks of each class hold in a cell, as its members tell, less what is under way to be
/// stopped: by this the local master verifies that a class which is to yield has more than its
/// share. Source: Megha, section IV-C.
class CellShares {
 public:
  using Shares = std::vector<std::pair<ClassId, Tickets>>;

  /// Only the proportions of shares count. None: no class has one, and nothing is stopped.
  void set_shares(Shares shares) { shares_ = std::move(shares); }
  /// What a member says, which replaces all it said before.
  void hear(PeerId node, const std::vector<ClassUse>& uses);
  void remove(PeerId node);

  /// A task that takes so many tickets is sent to the node, where it gets the room of tasks of the
  /// class `over`. They count as stopped until it is settled.
  void send(std::uint64_t start, PeerId node, ClassId over, Tickets part);
  void settle(std::uint64_t start) { under_way_.erase(start); }
  /// Nothing there may be stopped, whatever it said before.
  void distrust(PeerId node);

  /// True if the class has more than its share of a cell of so many tickets, and would be nearer to
  /// it with so many less.
  bool spares(ClassId class_id, Tickets part, Tickets capacity) const;
  /// What tasks of the class hold at each node that may be stopped, none of them asked for another
  /// one just now.
  std::vector<std::pair<PeerId, Resources>> yielding(ClassId class_id) const;
  /// What each class holds, and what of it is of tasks of one frontend.
  std::vector<ClassTotal> totals(PeerId frontend) const;

 private:
  struct UnderWay {
    PeerId node;
    ClassId over = 0;
    Tickets part = 0;
  };
  void count(const std::vector<ClassUse>& uses, bool add);

  Shares shares_;
  std::map<PeerId, std::vector<ClassUse>> uses_;
  std::map<ClassId, std::map<PeerId, Tickets>> sums_;  ///< By class and frontend; none is 0.
  std::map<std::uint64_t, UnderWay> under_way_;        ///< By number of the start.
};

}  // namespace dunlin::sched::federation
