// SPDX-License-Identifier: MIT
#pragma once

#include "sched/worker/discipline/discipline.h"

namespace dunlin::sched {

/// The job submitted first goes first, however late its reservation reached this worker. Source:
/// Ousterhout 2013, section 4.2: without policies, workers serve first come first served.
class FifoDiscipline final : public Discipline {
 public:
  explicit FifoDiscipline(Duration overtake) : Discipline(overtake) {}

  bool before(
      const QueuedReservation& a, const QueuedReservation& b, const ServiceMoment&) const override {
    return submitted_before(a, b);
  }
};

}  // namespace dunlin::sched
