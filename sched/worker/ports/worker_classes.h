// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "sched/ledger/books_types.h"
#include "sched/ledger/roster.h"
#include "sched/worker/dispatch/flat_dispatcher.h"

namespace dunlin::sched {

struct ClassDesk;
class ClassShares;

/// The classes of a worker, for the node's part in sharing, and the dispatcher that is in charge:
/// the one of classes while they have tickets, else the discipline's. Nothing is counted before a
/// cell asked for uses or gave tickets.
class WorkerClasses {
 public:
  /// Both outlive this.
  WorkerClasses(const WorkerParts& parts, Preemption& preemption);
  ~WorkerClasses();
  WorkerClasses(const WorkerClasses&) = delete;
  WorkerClasses& operator=(const WorkerClasses&) = delete;

  /// The tickets of each class on this node from now on; none: classes do not matter. Those of a
  /// class not named count as the default class's.
  void set_tickets(Time now, std::span<const std::pair<ClassId, Tickets>> tickets);
  /// The use of each class since the last call, of `tickets` in all, and what waits of it. By
  /// class, at most books::Classes::kClassesMax. See Workload::take.
  std::vector<books::Use> take_uses(Time now, Tickets tickets);
  /// Null: classes make no difference.
  const ClassShares* shares() const;

  Dispatcher& dispatcher() { return *dispatcher_; }
  /// A task of that class has ended, and had used so much CPU time.
  void ran(ClassId class_id, Duration cpu);
  /// The classes that want to run now contend for the node from now on.
  void contend(Time now);

 private:
  ClassDesk& ensure_desk(Time now);
  Dispatcher& without_classes() {
    if (packing_) return *packing_;
    return flat_;
  }

  const WorkerParts& parts_;
  Preemption& preemption_;
  FlatDispatcher flat_;
  std::unique_ptr<Dispatcher> packing_;  ///< In place of it, if the discipline packs.
  std::unique_ptr<ClassDesk> desk_;
  Dispatcher* dispatcher_ = &flat_;
};

}  // namespace dunlin::sched
