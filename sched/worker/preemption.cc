// SPDX-License-Identifier: MIT
#include "sched/worker/preemption.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "sched/job.h"
#include "sched/plan/slot_width.h"
#include "sched/resources.h"
#include "sched/worker/share/stride.h"

// A reservation is no task, and perhaps its job has none left. So its frontend is asked first, with
// no room held for the answer; only when it has bound a task are others stopped for it. It then
// waits for their ends, which may take their grace, and holds what is free of its room meanwhile.
// The walk of a reservation comes first, too: if a node has room no task is stopped.
namespace dunlin::sched {
bool Preemption::is_entitled(const Reserve& reserve) const {
  recount();
  return is_within_rule(reserve);
}

bool Preemption::is_within_rule(const Reserve& reserve) const {
  // Others would be stopped before it is known that some node lends to it, or that there is room
  // for all that start together.
  if (is_for_inputs_elsewhere(reserve) || reserve.gang) return false;
  switch (params_.preempt) {
    case PreemptMode::off:
      return false;
    case PreemptMode::emergency:
      return reserve.urgent || reserve.priority >= params_.emergency_priority;
    case PreemptMode::priority:
      return true;
    case PreemptMode::plan:
      // A job may have slots in all and none here: then it stops no task here.
      return planned_.allotted(reserve.job) > 0 && planned_.tasks_left(reserve) > 0;
    case PreemptMode::share:
      return !led_ && shares_ != nullptr && shares_->enforced() &&
          balance_.lacks(class_of(reserve.class_id), slots_.part(reserve.demand));
  }
  return false;
}

bool Preemption::outranks(const Reserve& by, const RunningTask& running) const {
  if (params_.preempt == PreemptMode::plan) {
    // Tickets go first: the plan divides what a class has.
    const bool by_class = shares_ != nullptr && shares_->enforced();
    return by.job != running.task.job &&
        (!by_class || class_of(by.class_id) == class_of(running.class_id));
  }
  if (params_.preempt == PreemptMode::share) {
    const ClassId class_id = class_of(running.class_id);
    return class_id != class_of(by.class_id) && balance_.furthest() == class_id;
  }
  return by.priority - running.yield.priority >= params_.preempt_delta;
}

bool Preemption::may_yield(const RunningTask& running, Time now) const {
  return !running.waits && !running.killed && !running.suspended &&
      running.yield.on_preempt != OnPreempt::never &&
      now - running.went_on >= params_.preempt_exempt &&
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
      room.add(held_by(running), 1);
    }
  }
  return room;
}

std::vector<Candidate> Preemption::candidates(const std::function<bool(const RunningTask&)>& may,
    Time now,
    std::vector<Resources>& leaves) const {
  const std::vector<RunningTask>& running = running_.running();
  leaves.reserve(running.size());  // Candidates point to its elements.
  std::vector<Candidate> found;
  for (std::size_t i = 0; i < running.size(); ++i) {
    const RunningTask& each = running[i];
    if (!may_yield(each, now) || !may(each)) continue;
    const bool stands = each.yield.on_preempt == OnPreempt::suspend;
    if (stands) leaves.push_back({.cpu = each.demand.cpu, .memory = 0, .custom = {}});
    const auto ran = std::chrono::duration_cast<std::chrono::milliseconds>(ran_by(each, now));
    found.push_back({.index = i,
        .leaves = stands ? &leaves.back() : &each.demand,
        .places = stands ? 0 : 1,
        .priority = each.yield.priority,
        .lost = stands ? 0 : ran.count() * each.demand.cpu});
  }
  return found;
}

void Preemption::keep_what_is_due(std::vector<Candidate>& found) const {
  const bool by_plan = params_.preempt == PreemptMode::plan;
  if (!by_plan && params_.preempt != PreemptMode::share) return;
  const std::vector<RunningTask>& running = running_.running();
  std::map<JobId, std::uint32_t> beyond = planned_.beyond(running);
  ClassBalance balance = balance_;
  std::ranges::sort(found, {},
      [](const Candidate& each) { return std::tuple(each.priority, each.lost, each.index); });
  std::erase_if(found, [&](const Candidate& each) {
    const RunningTask& task = running[each.index];
    if (!by_plan) {
      const ClassId class_id = class_of(task.class_id);
      const std::uint64_t part = slots_.part(task.demand);
      if (!balance.spares(class_id, part)) return true;
      balance.release(class_id, part);
      return false;
    }
    const std::uint32_t width = slots_taken(task.demand);
    const auto left = beyond.find(task.task.job);
    if (left == beyond.end() || left->second < width) return true;
    left->second -= width;
    return false;
  });
}

std::optional<std::vector<std::size_t>> Preemption::victims(
    const Reserve& reserve, std::int64_t count, const Room& room, Time now) const {
  std::vector<Resources> leaves;
  std::vector<Candidate> found = candidates(
      [&](const RunningTask& running) { return outranks(reserve, running); }, now, leaves);
  keep_what_is_due(found);
  return choose_victims(reserve.demand, count, room, found);
}

bool Preemption::can_make_room(const Reserve& reserve, Time now) const {
  return is_entitled(reserve) && victims(reserve, 1, room_for(reserve), now).has_value();
}

std::uint32_t Preemption::due_tasks(const Reserve& reserve) const {
  const std::uint32_t left = users_ == nullptr ? kRoomMax : users_->left(reserve);
  const std::uint32_t wanted = std::min(tasks_wanted(reserve), left);
  if (params_.preempt == PreemptMode::plan) return std::min(wanted, planned_.tasks_left(reserve));
  if (params_.preempt != PreemptMode::share) return wanted;
  ClassBalance balance = balance_;
  const ClassId class_id = class_of(reserve.class_id);
  const std::uint64_t part = slots_.part(reserve.demand);
  std::uint32_t count = 0;
  for (; count < wanted && balance.lacks(class_id, part); ++count) balance.hold(class_id, part);
  return count;
}

std::uint16_t Preemption::tasks_to_ask(const Reserve& reserve, Time now) const {
  Room room = room_for(reserve);
  for (const PendingRequest& pending : requests_.pending()) {
    if (!pending.preempts) continue;
    for (std::uint16_t task = 0; task < pending.room; ++task) {
      room.take(pending.reservation.reserve.demand, 1);
    }
  }
  const std::uint32_t wanted = due_tasks(reserve);
  std::uint16_t count = 0;
  while (count < wanted && victims(reserve, count + 1, room, now)) ++count;
  return count;
}

std::uint32_t Preemption::slots_max_of(const Reserve& reserve) const {
  return params_.preempt == PreemptMode::plan ? planned_.total(reserve) : 0;
}

void Preemption::ask(Turn& turn) {
  if (params_.preempt == PreemptMode::off) return;
  for (;;) {
    recount();
    std::optional<std::size_t> first;
    std::uint16_t room_first = 0;
    for (std::size_t i = 0; i < queue_.size(); ++i) {
      const Reserve& reserve = queue_[i].reserve;
      if (!is_within_rule(reserve) || !requests_.wants_more(reserve)) continue;
      if (first && queue_[*first].reserve.priority >= reserve.priority) continue;
      const std::uint16_t count = tasks_to_ask(reserve, turn.now);
      if (count == 0) continue;
      first = i;
      room_first = count;
    }
    if (!first) return;
    const std::uint32_t slots_max = slots_max_of(queue_[*first].reserve);
    requests_.ask_without_room(turn, queue_.take(*first), room_first, slots_max);
  }
}

void Preemption::resume(Turn& turn) {
  for (;;) {
    const std::vector<RunningTask>& running = running_.running();
    const RunningTask* first = nullptr;
    for (const RunningTask& each : running) {
      if (!each.suspended || each.killed) continue;
      // It ran here before, so the express share is no matter: its tasks may seem longer by now
      // than any that would have a place.
      if (slots_.free().cpu < each.demand.cpu) continue;
      const bool earlier = first == nullptr ||
          std::tuple(-each.yield.priority, *each.suspended) <
              std::tuple(-first->yield.priority, *first->suspended);
      if (earlier) first = &each;
    }
    if (first == nullptr) return;
    if (ask_before(turn, *first)) continue;
    running_.resume(turn, static_cast<std::size_t>(first - running.data()));
  }
}

bool Preemption::is_due(const RunningTask& standing) const {
  if (params_.preempt == PreemptMode::share) {
    return balance_.lacks(class_of(standing.class_id), slots_.part(standing.demand));
  }
  if (params_.preempt != PreemptMode::plan) return false;
  std::uint32_t held = slots_taken(standing.demand);
  for (const RunningTask& each : running_.running()) {
    const bool counts = each.task.job == standing.task.job && !each.killed && !each.suspended;
    if (counts) held += slots_taken(each.demand);
  }
  return held <= planned_.allotted(standing.task.job);
}

bool Preemption::ask_before(Turn& turn, const RunningTask& standing) {
  if (params_.preempt == PreemptMode::off || slots_.closed()) return false;
  recount();
  if (is_due(standing)) return false;
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < queue_.size(); ++i) {
    const Reserve& reserve = queue_[i].reserve;
    if (!is_within_rule(reserve) || !outranks(reserve, standing)) continue;
    if (slots_.fit(reserve) != Fit::yes || !requests_.wants_more(reserve)) continue;
    if (users_ != nullptr && users_->crowded_by(reserve)) continue;
    if (!first || queue_[*first].reserve.priority < reserve.priority) first = i;
  }
  if (!first) return false;
  const Reserve& reserve = queue_[*first].reserve;
  const std::uint32_t room = slots_.room_for(reserve, due_tasks(reserve));
  const std::uint32_t slots_max = slots_max_of(reserve);
  requests_.ask(turn, queue_.take(*first), static_cast<std::uint16_t>(room), slots_max);
  return true;
}

std::size_t Preemption::start(
    Turn& turn, const PendingRequest& asked, const Tasks& tasks, std::size_t count) {
  const QueuedReservation& reservation = asked.reservation;
  const Reserve& reserve = reservation.reserve;
  for (std::size_t i = 0; i < count; ++i) {
    const Assignment& task = tasks.tasks[i];
    // Its input may be here though it was thought to be elsewhere.
    const Resources demand = demand_of(reserve, task);
    if (demand != reserve.demand && (asked.preempts || !fits(demand, slots_.free()))) return i;
    if (!asked.preempts) {
      running_.start(turn, reservation, tasks, task);
      continue;
    }
    if (running_.holds({tasks.job, task.index}, task.attempt)) continue;
    const auto stopped = victims(reserve, 1, room_for(reserve), turn.now);
    // The plan may be another one by now.
    if (!stopped || (!stopped->empty() && !is_entitled(reserve))) return i;
    running_.start(turn, reservation, tasks, task);
    for (const std::size_t victim : *stopped) {
      running_.preempt(turn, victim, reserve.job,
          "for job " + std::to_string(reserve.job.number) + " of priority " +
              std::to_string(reserve.priority));
    }
  }
  return count;
}

Time Preemption::next(Time now) const {
  Time earliest = kNever;
  if (params_.preempt == PreemptMode::off) return earliest;
  recount();
  for (const QueuedReservation& waiting : queue_.waiting()) {
    if (!is_within_rule(waiting.reserve)) continue;
    for (const RunningTask& running : running_.running()) {
      const Time ripe = running.went_on + params_.preempt_exempt;
      if (ripe > now && may_yield(running, ripe) && outranks(waiting.reserve, running)) {
        earliest = std::min(earliest, ripe);
      }
    }
  }
  return earliest;
}

}  // namespace dunlin::sched
