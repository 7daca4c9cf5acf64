// SPDX-License-Identifier: MIT
#pragma once

#include "sched/worker/availability.h"
#include "sched/worker/dispatch/user_places.h"
#include "sched/worker/follow_up.h"
#include "sched/worker/frontends/frontend_ties.h"
#include "sched/worker/loans/loans.h"
#include "sched/worker/ports/worker_classes.h"
#include "sched/worker/preemption.h"
#include "sched/worker/reservations.h"
#include "tests/support/loose_parts.h"

namespace dunlin::test {

/// The parts of a worker that follow each other's changes, without the worker.
struct WiredParts : LooseParts {
  using LooseParts::LooseParts;

  sched::WorkerTimers timers;
  sched::FrontendTies ties{params, incarnation, running, timers};
  sched::Loans loans{params, incarnation, slots, running, reservations, follow_up};
  sched::UserPlaces users{params, slots, queue, requests, running};
  sched::Preemption preemption{params, slots, queue, requests, running, planned, &users};
  sched::WorkerParts wired{slots, queue, requests, running, *discipline, task_times, &planned,
      &preemption, &loans.borrower(), &users};
  sched::Reservations reservations{params, node.endpoint, wired};
  sched::WorkerClasses classes{wired, preemption};
  sched::Availability availability{params, slots, running, reservations, loans};
  sched::FollowUp follow_up{params, wired, timers, preemption, classes, loans, availability};
};

}  // namespace dunlin::test
