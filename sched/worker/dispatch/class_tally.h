// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sched/ledger/books_types.h"
#include "sched/ledger/roster.h"
#include "sched/worker/dispatch/dispatcher.h"
#include "sched/worker/share/class_shares.h"

namespace dunlin::sched {

/// The classes of a worker beside what it runs: which of them have tickets, what each holds and
/// used, and which want to run. A worker has one once its cell asks for uses or gives tickets.
class ClassTally {
 public:
  /// Counts all that is held at `now`, and from then on all that `parts.slots` holds and releases.
  ClassTally(Time now, const WorkerParts& parts);
  ClassTally(const ClassTally&) = delete;
  ClassTally& operator=(const ClassTally&) = delete;

  const ClassShares& shares() const { return shares_; }
  ClassShares& shares() { return shares_; }

  /// The tickets of each class on this node from now on; none: classes do not matter.
  void set_tickets(Time now, std::span<const std::pair<ClassId, Tickets>> tickets);
  /// The use of each class since the last call, of `tickets` in all, and what waits of it.
  std::vector<books::Use> take_uses(Time now, Tickets tickets);
  /// A task of `class_id` ended, and had used so much CPU time.
  void ran(ClassId class_id, Duration cpu) { shares_.ran(class_id, cpu); }

  /// The classes that want to run now contend for the node from now on.
  void contend(Time now);
  /// The passes of all classes as they would be after contend(now), once all that is held now has
  /// ended or been held for the outlook. The class with the smallest one is due.
  Stride outlook(Time now) const;
  /// The time that a task is expected to hold its slots from now on, as far as one looks ahead.
  static Duration outlook_of(Duration task_time, Duration elapsed);

 private:
  /// Calls visit(footprint, tasks, elapsed) for all that is held.
  void for_each_held(Time now, auto&& visit) const;
  void count_held(Time now, bool held);
  std::vector<ClassId> contenders() const;

  WorkerParts parts_;
  ClassShares shares_;
};

}  // namespace dunlin::sched
