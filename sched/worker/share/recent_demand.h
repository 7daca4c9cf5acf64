// SPDX-License-Identifier: MIT
#pragma once

#include <utility>
#include <vector>

#include "sched/kernel.h"
#include "sched/ledger/books_types.h"
#include "sched/ledger/roster.h"

namespace dunlin::sched {

/// Foretells what each class will need on a node shortly, by what it asked for there lately. A
/// class may keep tickets for that at the node (`bank.local_reserve_share`). Source: CS 736 slides,
/// the strategy of reserving.
class RecentDemand {
 public:
  /// Notes the demand (`used` and `need`) of a period of length `elapsed`, and sets `soon` in each
  /// use: the tickets by which the class's mean demand lies above the present one. A class that was
  /// busy lately and is idle now gets a use of its own. `uses` are by class, before and after.
  void foretell(Duration elapsed, std::vector<books::Use>& uses);

 private:
  std::vector<std::pair<ClassId, Tickets>> means_;  ///< By class; none is 0.
};

}  // namespace dunlin::sched
