// SPDX-License-Identifier: MIT
#include "sched/worker/preemption.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "sched/job.h"

// A reservation is no task, and perhaps its job has none left. So its frontend is asked first, with
// no room held for the answer; only when it has bound a task are others stopped for it. It then
// waits for their ends, which may take their grace, and holds what is free of its room meanwhile.
// The walk of a reservation comes first, too: if a node has room no task is stopped.
namespace dunlin::sched {
namespace {

/// Why a task yields, for people.
std::string reason(const Reserve& by) {
  return "for job " + std::to_string(by.job.number) + " of priority " + std::to_string(by.priority);
}

}  // namespace

bool Preemption::is_entitled(const Reserve& reserve) const {
  switch (params_.preempt) {
    case PreemptMode::off:
      return false;
    case PreemptMode::emergency:
      return reserve.priority >= params_.emergency_priority;
    case PreemptMode::priority:
      return true;
  }
  return false;
}

bool Preemption::may_stop(const RunningTask& running, const Reserve& by, Time now) const {
  return !running.waits && !running.killed && running.yield.on_preempt != OnPreempt::never &&
      by.priority - running.yield.priority >= params_.preempt_delta &&
      now - running.started >= params_.preempt_exempt &&
      running.yield.preemptions < params_.preempt_max;
}

Room Preemption::room_for(const Reserve& reserve) const {
  Room room(reserve.demand);
  room.add(slots_.free(), slots_.places());
  for (const RunningTask& running : running_.running()) {
    if (running.waits) {
      room.take(running.demand, running.has_place ? 0 : 1);
      room.add(running.holds);
    } else if (running.killed) {
      room.add(running.demand, 1);
    }
  }
  return room;
}

std::optional<std::vector<std::size_t>> Preemption::victims(
    const Reserve& reserve, std::int64_t count, const Room& room, Time now) const {
  std::vector<Candidate> candidates;
  const std::vector<RunningTask>& running = running_.running();
  for (std::size_t i = 0; i < running.size(); ++i) {
    if (!may_stop(running[i], reserve, now)) continue;
    const auto ran =
        std::chrono::duration_cast<std::chrono::milliseconds>(now - running[i].started);
    candidates.push_back({.index = i,
        .demand = &running[i].demand,
        .priority = running[i].yield.priority,
        .lost = ran.count() * running[i].demand.cpu});
  }
  return choose_victims(reserve.demand, count, room, candidates);
}

bool Preemption::can_make_room(const Reserve& reserve, Time now) const {
  return is_entitled(reserve) && victims(reserve, 1, room_for(reserve), now).has_value();
}

void Preemption::ask(Turn& turn) {
  if (params_.preempt == PreemptMode::off) return;
  for (;;) {
    std::optional<std::size_t> first;
    std::uint16_t room_first = 0;
    for (std::size_t i = 0; i < queue_.size(); ++i) {
      const Reserve& reserve = queue_[i].reserve;
      if (!is_entitled(reserve) || !requests_.wants_more(reserve)) continue;
      if (first && queue_[*first].reserve.priority >= reserve.priority) continue;
      Room room = room_for(reserve);
      for (const PendingRequest& pending : requests_.pending()) {
        if (!pending.preempts) continue;
        for (std::uint16_t task = 0; task < pending.room; ++task) {
          room.take(pending.reservation.reserve.demand, 1);
        }
      }
      const std::uint32_t wanted = tasks_wanted(reserve);
      std::uint16_t count = 0;
      while (count < wanted && victims(reserve, count + 1, room, turn.now)) ++count;
      if (count == 0) continue;
      first = i;
      room_first = count;
    }
    if (!first) return;
    requests_.ask_without_room(turn, queue_.take(*first), room_first);
  }
}

std::size_t Preemption::start(
    Turn& turn, const PendingRequest& asked, const Tasks& tasks, std::size_t count) {
  const QueuedReservation& reservation = asked.reservation;
  const Reserve& reserve = reservation.reserve;
  for (std::size_t i = 0; i < count; ++i) {
    const Assignment& task = tasks.tasks[i];
    if (!asked.preempts) {
      running_.start(turn, reservation, tasks, task);
      continue;
    }
    if (running_.holds({tasks.job, task.index}, task.attempt)) continue;
    const auto stopped = victims(reserve, 1, room_for(reserve), turn.now);
    if (!stopped) return i;
    running_.start(turn, reservation, tasks, task);
    for (const std::size_t victim : *stopped) {
      running_.preempt(turn, victim, reserve.job, reason(reserve));
    }
  }
  return count;
}

Time Preemption::next(Time now) const {
  Time earliest = kNever;
  if (params_.preempt == PreemptMode::off) return earliest;
  for (const QueuedReservation& waiting : queue_.waiting()) {
    if (!is_entitled(waiting.reserve)) continue;
    for (const RunningTask& running : running_.running()) {
      const Time ripe = running.started + params_.preempt_exempt;
      if (ripe > now && may_stop(running, waiting.reserve, ripe)) {
        earliest = std::min(earliest, ripe);
      }
    }
  }
  return earliest;
}

}  // namespace dunlin::sched
