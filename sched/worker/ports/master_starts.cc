// SPDX-License-Identifier: MIT
#include "sched/worker/ports/master_starts.h"

#include "sched/task_time.h"
#include "sched/worker/follow_up.h"
#include "sched/worker/ports/worker_classes.h"

namespace dunlin::sched {

bool MasterStarts::start(
    Turn& turn, const Reserve& group, const Tasks& tasks, std::optional<ClassId> over) {
  const Assignment& task = tasks.tasks.front();
  if (running_.holds({tasks.job, task.index}, task.attempt)) return true;
  QueuedReservation asked = arriving(group, turn.now);
  asked.reserve.task_time = sane_task_time(group.task_time);
  if (reservations_.serve(turn.now, classes_.dispatcher(), asked)) {
    running_.start(turn, asked, tasks, task);
  } else if (!over || !preemption_.start_over(turn, asked, tasks, *over)) {
    return false;
  }
  end_turn(turn.now, asked.frontend.id);
  return true;
}

bool MasterStarts::ask(Turn& turn, const Reserve& group) {
  QueuedReservation asked = arriving(group, turn.now);
  asked.reserve.task_time = sane_task_time(group.task_time);
  asked.once = true;
  if (!reservations_.ask(turn, classes_.dispatcher(), asked)) return false;
  end_turn(turn.now, asked.frontend.id);
  return true;
}

void MasterStarts::end_turn(Time now, PeerId frontend) {
  frontends_.heard(now, frontend);
  follow_up_.schedule(now);
}

}  // namespace dunlin::sched
