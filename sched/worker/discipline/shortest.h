// SPDX-License-Identifier: MIT
#pragma once

#include "sched/worker/discipline/discipline.h"

namespace dunlin::sched {

/// The job with the least left to do goes first; waiting and priority make it seem less. The rest
/// of a job is its waiting tasks × length ^ `length_weight`. A job that has waited `patience` mean
/// task lengths counts as half of it, after twice as long as a third. Two points of priority halve
/// it, too.
///
/// Let S and s be the rests of two jobs, the second submitted d later, x the patience and m the
/// mean task length. When the first has waited w, the second is before it only if d < (w + x m) (1
/// - s / S). So a job waits for jobs that come later only as long as they come sooner than it has
/// aged: no order of arrivals starves it.
///
/// Source: Eagle (Delgado 2016), shortest remaining time first at the workers; the power of the
/// length and the patience are ours.
class ShortestDiscipline final : public Discipline {
 public:
  /// `length_weight` in [0, 1]: 1 ranks by work, 0 by number of tasks. `patience` above 0, in mean
  /// task lengths.
  ShortestDiscipline(Duration overtake, double length_weight, double patience)
      : Discipline(overtake),
        length_weight_(length_weight),
        patience_(patience) {}

  void weigh(QueuedReservation& waiting) const override;
  bool before(const QueuedReservation& a,
      const QueuedReservation& b,
      const ServiceMoment& at) const override;

 private:
  double length_weight_;
  double patience_;
};

}  // namespace dunlin::sched
