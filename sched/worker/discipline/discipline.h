// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "sched/packing/packer.h"
#include "sched/task_time.h"
#include "sched/worker/params.h"
#include "sched/worker/queued_reservation.h"

namespace dunlin::sched {

class PlannedSlots;

/// What decides the order of a queue besides the reservations themselves.
struct ServiceMoment {
  Time now{};
  Duration mean_task_time = kTaskTimeUnknown;  ///< Of the tasks that the worker hears of.
  /// The slots that a plan gives to jobs here: disciplines do not know of it. Null: there is none.
  const PlannedSlots* planned = nullptr;

  // Implicit: most disciplines ask for the time alone.
  ServiceMoment(Time now_of_it) : now(now_of_it) {}
  ServiceMoment(Time now_of_it, Duration mean) : now(now_of_it), mean_task_time(mean) {}
};

/// The rule by which a worker serves the reservations that wait: the order, what may overtake, and
/// which one leaves a full queue. It holds parameters, no state, and never sees the worker.
class Discipline {
 public:
  virtual ~Discipline() = default;

  /// Writes down in `waiting` what of its rank does not change with time. To be called before it is
  /// compared, and again when its frontend tells anew what is left.
  virtual void weigh(QueuedReservation& /*waiting*/) const {}

  /// True if `a` is served before `b`: a strict weak order of all that waits at one moment.
  virtual bool before(
      const QueuedReservation& a, const QueuedReservation& b, const ServiceMoment& at) const = 0;

  /// How a worker chooses among all that fit, if their order alone does not say it; null: it does.
  virtual const packing::Packer* packer() const { return nullptr; }
  /// What its job seems to have left at that moment, by the measure of weigh(). For packer() alone.
  virtual double work_left(
      const QueuedReservation& /*waiting*/, const ServiceMoment& /*at*/) const {
    return 0;
  }

  /// True if nothing may overtake `first` any more. It is served before all others and does not
  /// fit yet. Smaller ones overtake it for the time given at construction; then room is kept for
  /// it, so that large tasks do not starve.
  virtual bool keeps_room_for(const QueuedReservation& first, const ServiceMoment& at) const {
    return at.now - first.born > overtake_;
  }

  /// The element of a full queue that leaves for `newcomer`. Empty: the newcomer is turned away,
  /// as by default.
  virtual std::optional<std::size_t> eviction_candidate(const Reserve& /*newcomer*/,
      std::span<const QueuedReservation> /*waiting*/,
      Time /*now*/) const {
    return std::nullopt;
  }

 protected:
  explicit Discipline(Duration overtake) : overtake_(overtake) {}
  Discipline(const Discipline&) = default;
  Discipline& operator=(const Discipline&) = default;

  /// For how long smaller ones overtake one that does not fit.
  Duration overtake() const { return overtake_; }

 private:
  Duration overtake_;
};

/// True if the job of `a` was submitted before that of `b`. Equal times are decided by ids: any two
/// reservations have an order, and it is the same on every run. Every discipline ends with it.
bool submitted_before(const QueuedReservation& a, const QueuedReservation& b);

/// What is left of a job, as it seems after some waiting: a half once it has waited `patience` mean
/// task lengths, a third after twice as long, and so on.
double aged(double left, Time born, double patience, const ServiceMoment& at);
/// The factor by which what is left of a job of that priority seems more, or less: two points halve
/// it.
double by_priority(std::int16_t priority);

/// The discipline that `params.discipline` names, for a node that has `total`; empty: for more than
/// one.
std::unique_ptr<const Discipline> make_discipline(
    const WorkerParams& params, const Resources& total = {});

}  // namespace dunlin::sched
