// SPDX-License-Identifier: MIT
#include <algorithm>
#include <utility>

#include "sched/worker/worker.h"

// Starts that no answer brings. Local masters say that a task is to start, or that one which waits
// there may have room here. And tasks outlive the process of their worker: the next one takes them
// back.
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
  frontends_.heard(turn.now, asked.frontend.id);
  schedule(turn.now);
  return true;
}

bool Worker::ask(Turn& turn, const Reserve& group) {
  QueuedReservation asked = arriving(group, turn.now);
  asked.reserve.task_time = sane_task_time(group.task_time);
  asked.once = true;
  if (!reservations_.ask(turn, *dispatcher_, asked)) return false;
  frontends_.heard(turn.now, asked.frontend.id);
  schedule(turn.now);
  return true;
}

void Worker::on_message(Turn& turn, const Endpoint& from, const AskAfter& asked) {
  if (!frontends_.may_speak(from.id, asked.job)) return;
  frontends_.heard(turn.now, from.id);
  frontends_.answer(turn, from, asked, load());
  schedule(turn.now);
}

void Worker::raise(Turn& turn, std::uint32_t incarnation) {
  incarnation_.number = incarnation;
  frontends_.renew(turn, load(), away_);
}

void Worker::take_back(Turn& turn, std::uint32_t since, std::span<const KeptTask> kept) {
  incarnation_.since = std::min(since, incarnation_.number);
  running_.take_back(turn, kept);
  frontends_.take_back(turn.now, kept);
  preemption_.resume(turn);
  frontends_.renew(turn, load());
  frontends_.send_reports(turn, load(), speed());
  schedule(turn.now);
}

void Worker::pause(Turn& turn, const Surroundings& around) {
  if (away_ == Duration{0}) {
    away_ = params_.reattach_within;
    slots_.drain(true);
    reservations_.leave(turn, around, BounceReason::draining);
  }
  frontends_.renew(turn, load(), away_);
  schedule(turn.now);
}

}  // namespace dunlin::sched
