// SPDX-License-Identifier: MIT
#include "sched/worker/follow_up.h"

#include "sched/worker/availability.h"
#include "sched/worker/loans/loans.h"
#include "sched/worker/ports/worker_classes.h"
#include "sched/worker/preemption.h"

namespace dunlin::sched {

void FollowUp::dispatch(Turn& turn) {
  loans_.follow(turn);
  preemption_.resume(turn);
  if (parts_.slots.closed()) return;
  parts_.planned->ask_again(turn.now);
  classes_.dispatcher().dispatch(turn);
  preemption_.ask(turn);
}

void FollowUp::replan(Time now) {
  replanned_ = true;
  schedule(now);
}

void FollowUp::schedule(Time now) {
  classes_.contend(now);
  timers_.set(WorkerTimer::asking, parts_.requests.next());
  timers_.set(WorkerTimer::limits, parts_.running.next_limit());
  timers_.set(WorkerTimer::loans, loans_.next());
  // Later than now, which may be the time of a turn that has woken this worker already.
  timers_.set(WorkerTimer::preempt, replanned_ ? now + Duration{1} : preemption_.next(now));
  timers_.set(WorkerTimer::queue, parts_.queue.next_confirm());
  timers_.set(WorkerTimer::outbox, parts_.running.outbox().next());
  timers_.set(WorkerTimer::trial, availability_.health().next_trial());
  if (parts_.running.running().empty()) {
    timers_.clear(WorkerTimer::renew);
  } else {
    timers_.no_later(WorkerTimer::renew, now + params_.renew);
  }
}

}  // namespace dunlin::sched
