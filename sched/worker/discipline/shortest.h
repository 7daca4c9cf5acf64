// SPDX-License-Identifier: MIT
#pragma once

#include "sched/worker/discipline/discipline.h"

namespace dunlin::sched {

/// The job with the least left to do goes first; waiting and priority make it seem less. The rest
/// of a job is its waiting tasks × length ^ `length_weight`. A job that has waited `ageing` counts
/// as half of it, after twice as long as a third. Two points of priority halve it, too.
///
/// Source: Eagle (Delgado 2016), shortest remaining time first at the workers; the power of the
/// length and the ageing are ours.
class ShortestDiscipline final : public Discipline {
 public:
  /// `length_weight` in [0, 1]: 1 ranks by work, 0 by number of tasks. `ageing` above 0.
  ShortestDiscipline(Duration overtake, Duration ageing, double length_weight)
      : Discipline(overtake),
        ageing_(ageing),
        length_weight_(length_weight) {}

  bool before(const QueuedReservation& a, const QueuedReservation& b, Time now) const override;

 private:
  /// The amount left of a job, as it seems at `now`. The smallest is served first.
  double rank(const QueuedReservation& waiting, Time now) const;

  Duration ageing_;
  double length_weight_;
};

}  // namespace dunlin::sched
