// SPDX-License-Identifier: MIT
#include <utility>

#include "sched/worker/worker.h"

// What local masters say: a task is to start, or one that waits there may have room here.
namespace dunlin::sched {

bool Worker::start(
    Turn& turn, const Reserve& group, const Tasks& tasks, std::optional<ClassId> over) {
  const Assignment& task = tasks.tasks.front();
  if (running_.holds({tasks.job, task.index}, task.attempt)) return true;
  QueuedReservation asked = arriving(group, turn.now);
  asked.reserve.task_time = sane_task_time(group.task_time);
  if (reservations_.serve(turn.now, *dispatcher_, asked)) {
    running_.start(turn, asked, tasks, task);
  } else if (!over || !preemption_.start_over(turn, asked, tasks, *over)) {
    return false;
  }
  heard(turn.now, asked.frontend.id);
  schedule(turn.now);
  return true;
}

bool Worker::ask(Turn& turn, const Reserve& group) {
  QueuedReservation asked = arriving(group, turn.now);
  asked.reserve.task_time = sane_task_time(group.task_time);
  asked.once = true;
  if (!reservations_.ask(turn, *dispatcher_, asked)) return false;
  heard(turn.now, asked.frontend.id);
  schedule(turn.now);
  return true;
}

}  // namespace dunlin::sched
