// SPDX-License-Identifier: MIT
#include "sched/worker/discipline/edf.h"

// On one processor this order meets all deadlines if any order can. In overload it serves first
// what is late already, so more and more jobs are late: that is what plans are for. A deadline
// counts from the submit, as waiting does, so the clocks of two nodes are never compared.
namespace dunlin::sched {

bool EdfDiscipline::before(
    const QueuedReservation& a, const QueuedReservation& b, const ServiceMoment& /*at*/) const {
  const Time due_of_a = a.due().value_or(kNever);
  const Time due_of_b = b.due().value_or(kNever);
  return due_of_a != due_of_b ? due_of_a < due_of_b : submitted_before(a, b);
}

}  // namespace dunlin::sched
