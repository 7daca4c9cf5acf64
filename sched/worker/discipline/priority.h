// SPDX-License-Identifier: MIT
#pragma once

#include "sched/worker/discipline/discipline.h"

namespace dunlin::sched {

/// The job of the highest priority goes first. `ageing` of waiting is worth one point, so that low
/// priorities do not starve. Source: Ousterhout 2013, section 4.2 (strict priorities); ageing is
/// ours.
class PriorityDiscipline final : public Discipline {
 public:
  PriorityDiscipline(Duration overtake, Duration ageing) : Discipline(overtake), ageing_(ageing) {}

  bool before(const QueuedReservation& a,
      const QueuedReservation& b,
      const ServiceMoment& at) const override;

 private:
  Duration ageing_;
};

}  // namespace dunlin::sched
