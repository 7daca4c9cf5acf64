// SPDX-License-Identifier: MIT
#include <algorithm>
#include <utility>

#include "sched/inputs/input_rates.h"
#include "sched/job.h"
#include "sched/resources.h"
#include "sched/worker/loans/task_place.h"
#include "sched/worker/running_tasks.h"

// A task that was bound starts at once if its room is there. If others have been stopped for it, it
// waits for their ends. Until then it is among those that run: its frontend hears that it is here,
// and may stop it. What is free of its room meanwhile is set aside bit by bit, in the order in
// which such tasks came. So all room that is promised to one comes to it, and nothing else takes
// it.
namespace dunlin::sched {
namespace {

/// What is free of `missing`, and is left in it no more.
Resources take_free(Resources& missing, const Resources& free) {
  Resources taken;
  for (const auto amount : kAmounts) taken.*amount = std::min(missing.*amount, free.*amount);
  for (const Amount& amount : missing.custom) {
    set_amount(taken, amount.name, std::min(amount.count, amount_of(free, amount.name)));
  }
  take(missing, taken);
  return taken;
}

InputPlace input_place(const Reserve& reserve, const Assignment& task) {
  if (reserve.inputs.empty()) return InputPlace::none;
  return task.remote ? InputPlace::elsewhere : InputPlace::here;
}

/// The loan that the task needs; null if it needs none, or no node that could lend is known.
std::shared_ptr<const LoanWish> loan_for(const Reserve& reserve, const Assignment& task) {
  if (!task.remote || task.sources.empty() || reserve.inputs.empty()) return nullptr;
  LoanWish wish{
      .group = reserve.group, .amounts = borrowed_for_input(reserve.inputs.front()), .sources = {}};
  if (!has_rates(wish.amounts)) return nullptr;
  for (const Source& source : task.sources) wish.sources.push_back({source.node, source.address});
  return std::make_shared<const LoanWish>(std::move(wish));
}

/// Requires that its room is free.
void begin(Turn& turn, Slots& slots, RunningTask& running, const Launch& launch) {
  running.started = running.went_on = turn.now;
  if (launch.time_limit > Duration{0}) running.limit = turn.now + launch.time_limit;
  slots.hold(turn.now, footprint(running));
  turn.events.on(TaskStarted{running.task.job, running.task.index, running.attempt});
  turn.executor.start(launch);
}

/// Gives up what is set aside for it.
void put_back(Slots& slots, RunningTask& running) {
  slots.put_back(std::exchange(running.holds, {}), std::exchange(running.has_place, false));
}

}  // namespace

void RunningTasks::start(Turn& turn,
    const QueuedReservation& asked,
    const Tasks& tasks,
    const Assignment& assignment,
    bool by_master) {
  const Reserve& reserve = asked.reserve;
  const TaskId task{tasks.job, assignment.index};
  if (holds(task, assignment.attempt)) return;
  const Resources demand = demand_of(reserve, assignment);
  RunningTask running{.task = task,
      .attempt = assignment.attempt,
      .frontend = asked.frontend,
      .demand = demand,
      .task_time = sane_task_time(tasks.task_time),
      .measured = sane_task_time(tasks.measured),
      .started = turn.now,
      .urgent = reserve.urgent,
      .borrows = loan_for(reserve, assignment),
      .class_id = reserve.class_id,
      .log = log_of(tasks),
      .yield = {.priority = reserve.priority,
          .on_preempt = tasks.suspends ? OnPreempt::suspend : tasks.on_preempt,
          .preemptions = assignment.preemptions},
      .by_master = by_master,
      .user = reserve.user};
  Launch launch{.task = task,
      .attempt = assignment.attempt,
      .demand = demand,
      .input = input_place(reserve, assignment),
      .frontend = asked.frontend,
      .task_time = running.task_time,
      .time_limit = tasks.time_limit,
      .class_id = reserve.class_id,
      .user = reserve.user,
      .log = running.log,
      .yield = running.yield,
      .task_count = tasks.task_count,
      .job_name = tasks.name,
      .spec = tasks.spec,
      .entry = assignment.entry,
      .due_in = tasks.due_in ? OptionalDuration(sane_task_time(*tasks.due_in)) : std::nullopt,
      .guessed = reserve.guessed};
  const bool has_room = slots_.places() > 0 && fits(demand, slots_.free());
  const bool starts = has_room && !running.borrows;
  if (starts) {
    begin(turn, slots_, running, launch);
  } else {
    running.waits = std::make_shared<const Launch>(std::move(launch));
    running.has_place = has_room;
    if (has_room) {
      slots_.set_aside(demand, true);
      running.holds = demand;
    }
  }
  running_.push_back(std::move(running));
  if (!has_room) start_waiting(turn);
}

std::optional<std::uint16_t> RunningTasks::settle_loan(
    Turn& turn, const TaskId& task, AttemptNumber attempt, std::optional<PeerId> lender) {
  RunningTask* const running = find(task, attempt);
  if (running == nullptr || !running->borrows) return std::nullopt;
  if (lender) {
    running->borrows.reset();
    Launch launch = *running->waits;
    launch.lender = *lender;
    running->waits = std::make_shared<const Launch>(std::move(launch));
    start_waiting(turn);
    return std::nullopt;
  }
  const std::uint16_t group = running->borrows->group;
  turn.out.send(
      running->frontend, Refused{.job = task.job, .request = 0, .tasks = {{task.index, attempt}}});
  drop_waiting(turn, *running);
  return group;
}

void RunningTasks::start_waiting(Turn& turn) {
  for (RunningTask& running : running_) {
    if (!running.waits) continue;
    Resources missing = running.demand;
    take(missing, running.holds);
    const Resources found = take_free(missing, slots_.free());
    const bool finds_place = !running.has_place && slots_.places() > 0;
    slots_.set_aside(found, finds_place);
    give(running.holds, found);
    running.has_place = running.has_place || finds_place;
    if (missing != Resources{} || !running.has_place || running.borrows) continue;
    put_back(slots_, running);
    Launch launch = *std::exchange(running.waits, nullptr);
    if (launch.due_in) {
      *launch.due_in = std::max(Duration{1}, *launch.due_in - (turn.now - running.started));
    }
    begin(turn, slots_, running, launch);
  }
}

void RunningTasks::drop_waiting(Turn& turn, RunningTask& running) {
  put_back(slots_, running);
  running_.erase(running_.begin() + (&running - running_.data()));
  start_waiting(turn);
}

void RunningTasks::give_back_waiting(Turn& turn) {
  for (std::size_t i = running_.size(); i-- > 0;) {
    if (!running_[i].waits) continue;
    const RunningTask& running = running_[i];
    turn.out.send(running.frontend,
        Refused{.job = running.task.job,
            .request = 0,
            .tasks = {{running.task.index, running.attempt}}});
    put_back(slots_, running_[i]);
    running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

}  // namespace dunlin::sched
