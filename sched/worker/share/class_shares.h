// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sched/kernel.h"
#include "sched/ledger/roster.h"
#include "sched/worker/share/recent_demand.h"
#include "sched/worker/share/stride.h"
#include "sched/worker/share/usage_meter.h"

namespace dunlin::sched {

/// The classes of one worker: the tickets that each has, what it holds, and what it used. A worker
/// has this once its cell asks for uses. Until then, and while no class has tickets, classes make
/// no difference.
///
/// Tasks of a class that the class table does not have count as tasks of the class "default".
class ClassShares {
 public:
  explicit ClassShares(Time now) : stride_(now), meter_(now) {}

  /// True if classes share the node by tickets.
  bool enforced() const { return !tickets_.empty(); }
  /// The tickets that hold, by class.
  const std::vector<std::pair<ClassId, Tickets>>& tickets() const { return tickets_; }
  /// The class that a task of `class_id` counts for.
  ClassId class_of(ClassId class_id) const;

  /// Replaces all tickets, by class, ascending, each once; none at all: classes make no difference
  /// any more. If classes come or go, all that is held must be released before and held after,
  /// because tasks change the class that they count for.
  void set_tickets(Time now, std::vector<std::pair<ClassId, Tickets>> tickets);

  /// Tasks of `class_id` occupy so many millionths of the node more, or less. Slots that wait for
  /// the answer of a frontend count, since no other task can have them.
  void hold(Time now, ClassId class_id, std::uint64_t part);
  void release(Time now, ClassId class_id, std::uint64_t part);
  /// A task of it ended, and had used so much CPU time.
  void ran(ClassId class_id, Duration cpu);

  /// Tasks of these classes want to run from now on, and of no other: see Stride::contend.
  void contend(Time now, std::span<const ClassId> class_ids);
  /// The class that `class_id` counts for is served, as it was due.
  void serve(ClassId class_id) { stride_.serve(class_of(class_id)); }
  /// The passes of the classes as of the last call.
  const Stride& stride() const { return stride_; }
  /// The same as it would be after contend().
  Stride standing(Time now, std::span<const ClassId> class_ids) const;

  /// The use of each class since the last call, with `tickets` for the whole node. `need` is what
  /// waits of each class, in millionths of the node; see RecentDemand for what it will need soon.
  /// By class, at most books::Classes::kClassesMax.
  std::vector<books::Use> take(
      Time now, Tickets tickets, std::span<const std::pair<ClassId, std::uint64_t>> need);

 private:
  std::vector<ClassId> classes_of(std::span<const ClassId> class_ids) const;

  std::vector<std::pair<ClassId, Tickets>> tickets_;  ///< By class.
  Stride stride_;
  UsageMeter meter_;
  RecentDemand demand_;
  std::vector<std::pair<ClassId, Duration>> cpu_;  ///< By class: of tasks ended in this period.
};

}  // namespace dunlin::sched
