// SPDX-License-Identifier: MIT
#pragma once

#include "sched/worker/discipline/discipline.h"

namespace dunlin::sched {

/// The job of the earliest deadline goes first. Jobs without a deadline come after all others, the
/// one submitted first before the next. Source: Lin 2014 (the NTU thesis), section 6.3, which takes
/// it from Liu and Layland 1973.
class EdfDiscipline final : public Discipline {
 public:
  explicit EdfDiscipline(Duration overtake) : Discipline(overtake) {}

  bool before(const QueuedReservation& a,
      const QueuedReservation& b,
      const ServiceMoment& at) const override;
};

}  // namespace dunlin::sched
