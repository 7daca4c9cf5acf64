// SPDX-License-Identifier: MIT
#pragma once

#include "sched/job.h"
#include "sched/replica/record.h"

// Words that records have as flags, as they came one after the other: a build that knows fewer of
// them reads one that it knows. Both ways stand here alone.
namespace dunlin::sched::replica {

inline void put_on_preempt(OnPreempt word, PutJob& put) {
  put.never_preempted = word == OnPreempt::never;
  put.checkpoint = word == OnPreempt::checkpoint;
  put.suspend = word == OnPreempt::suspend;
}
inline OnPreempt on_preempt_of(const PutJob& put) {
  if (put.never_preempted) return OnPreempt::never;
  if (put.suspend) return OnPreempt::suspend;
  return put.checkpoint ? OnPreempt::checkpoint : OnPreempt::requeue;
}

inline void put_cancelled_by(CancelledBy word, PutProgress& put) {
  put.late = word == CancelledBy::deadline;
  put.missed = word == CancelledBy::after;
}
inline CancelledBy cancelled_by_of(const PutProgress& put) {
  if (put.missed) return CancelledBy::after;
  return put.late ? CancelledBy::deadline : CancelledBy::user;
}

}  // namespace dunlin::sched::replica
