// SPDX-License-Identifier: MIT
#include "sched/worker/ports/worker_classes.h"

#include "sched/worker/dispatch/class_dispatcher.h"
#include "sched/worker/packing/packing_dispatcher.h"
#include "sched/worker/preemption.h"

namespace dunlin::sched {

/// Everything about classes; a worker has it once they matter.
struct ClassDesk {
  ClassTally tally;
  ClassDispatcher dispatcher;

  ClassDesk(Time now, const WorkerParts& parts) : tally(now, parts), dispatcher(parts, tally) {}
};

WorkerClasses::WorkerClasses(const WorkerParts& parts, Preemption& preemption)
    : parts_(parts),
      preemption_(preemption),
      flat_(parts) {
  if (parts.discipline.packer() == nullptr) return;
  packing_ = std::make_unique<PackingDispatcher>(parts);
  dispatcher_ = packing_.get();
}

WorkerClasses::~WorkerClasses() = default;

ClassDesk& WorkerClasses::ensure_desk(Time now) {
  if (!desk_) {
    desk_ = std::make_unique<ClassDesk>(now, parts_);
    preemption_.follow(desk_->tally.shares());
  }
  return *desk_;
}

void WorkerClasses::set_tickets(Time now, std::span<const std::pair<ClassId, Tickets>> tickets) {
  if (!desk_ && tickets.empty()) return;
  ClassDesk& desk = ensure_desk(now);
  desk.tally.set_tickets(now, tickets);
  dispatcher_ = &without_classes();
  if (!tickets.empty()) dispatcher_ = &desk.dispatcher;
}

std::vector<books::Use> WorkerClasses::take_uses(Time now, Tickets tickets) {
  return ensure_desk(now).tally.take_uses(now, tickets);
}

const ClassShares* WorkerClasses::shares() const {
  return desk_ ? &desk_->tally.shares() : nullptr;
}

void WorkerClasses::ran(ClassId class_id, Duration cpu) {
  if (desk_) desk_->tally.ran(class_id, cpu);
}

void WorkerClasses::contend(Time now) {
  if (desk_) desk_->tally.contend(now);
}

}  // namespace dunlin::sched
