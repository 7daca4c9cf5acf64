// SPDX-License-Identifier: MIT
#include "sched/frontend/binder.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sched/frontend/bound_tasks.h"
#include "sched/frontend/inputs/input_probes.h"
#include "sched/frontend/outlook.h"
#include "sched/plan/slot_width.h"

// The worker that asks holds free slots while it waits for the answer, so the first that asks can
// start the soonest. Answers get lost, and then the worker asks once more by the same number: it
// must get the tasks of the first answer, or those would wait for their leases to end. So answers
// are remembered for longer than workers ask.
namespace dunlin::sched {
namespace {

/// Binds tasks to the worker until they are `room`, or fill an answer, or none is left.
std::vector<Attempt> bind(Turn& turn,
    const Endpoint& from,
    JobState& job,
    const GetTask& asked,
    std::size_t room,
    const JobState::Others& others) {
  const TaskGroup& spec = job.spec_of(asked.group);
  const std::uint32_t first = job.groups()[asked.group].first;
  std::vector<Attempt> given;
  std::size_t bytes = 0;
  while (given.size() < room && bytes < kEntryBytesMax) {
    const auto task = job.bind(asked.group, from, asked.incarnation, turn.now, others, asked.here);
    if (!task) break;
    given.push_back(*task);
    if (spec.entries.size() > 0) bytes += spec.entries[task->index - first].size();
    turn.events.on(TaskBound{job.id(), task->index, task->attempt, from.id});
  }
  say_only(turn, job, given);  // Before they leave.
  return given;
}

/// The tasks that a worker which serves the job by plan may get: of all cells, only the frontend
/// knows how many slots the job holds.
std::size_t planned_tasks(const JobState& job, const GetTask& asked) {
  if (asked.slots_max == 0) return Tasks::kTasksMax + 1;
  std::uint32_t held = 0;
  for (std::uint16_t i = 0; i < group_count(job); ++i) {
    held += job.groups()[i].bound * slots_taken(job.spec_of(i).demand);
  }
  if (held >= asked.slots_max) return 0;
  return (asked.slots_max - held) / slots_taken(job.spec_of(asked.group).demand);
}

/// True if the worker holds less memory than a task is taken to need by now. A gang has its rooms
/// together, or not at all.
bool is_outdated(const JobState& job, const GetTask& asked) {
  const bool gang = job.spec_of(asked.group).gang;
  return !gang && asked.probe != 0 && asked.probe <= job.groups()[asked.group].outdated;
}

/// Until the job's deadline; no less than 1 ns, since 0 is none.
OptionalDuration time_left(const JobState& job, Time now) {
  const Time due = due_of(job);
  if (due == kNever) return std::nullopt;
  return std::max(Duration{1}, due - now);
}

/// Fewer tasks say little of how long others take.
constexpr std::uint32_t kMeasuredMin = 4;

Duration measured_time(const JobState::Group& group) {
  if (group.succeeded < kMeasuredMin) return Duration{0};
  return sane_task_time(Duration{static_cast<std::int64_t>(group.lately)});
}

}  // namespace

Tasks tasks_for(const JobState& job,
    std::uint16_t group_index,
    std::span<const Attempt> given,
    const Prober& prober,
    Time now) {
  const TaskGroup& spec = job.spec_of(group_index);
  const JobState::Group& group = job.groups()[group_index];
  const std::uint32_t offered = job.offered(group_index);
  const bool suspends = job.job().on_preempt == OnPreempt::suspend;
  Tasks tasks{.job = job.id(),
      .group = group_index,
      .time_limit = whole_milliseconds(spec.time_limit),
      .task_count = job.task_count(),
      .name = job.job().name,
      .remaining = given.empty() || spec.gang ? 0 : offered,
      .task_time = prober.told_time(job, group_index, now),
      .work = prober.work(job, now),
      .served_to = offered == 0 ? prober.last(job) : 0,
      .due_in = time_left(job, now),
      .on_preempt = suspends ? OnPreempt::requeue : job.job().on_preempt,
      .measured = measured_time(group),
      .suspends = suspends};
  for (const Attempt& task : given) {
    // An answer given before may name tasks that ended since: these are not handed out again.
    const auto binding = job.bindings().find(task.index);
    if (binding == job.bindings().end() || binding->second.attempt != task.attempt) continue;
    if (job.task(task.index).state != TaskState::launched) continue;
    Assignment assignment{.index = task.index,
        .attempt = task.attempt,
        .entry = {},
        .preemptions = job.preemptions(task.index)};
    if (spec.entries.size() > 0) assignment.entry = spec.entries[task.index - group.first];
    tasks.tasks.push_back(std::move(assignment));
  }
  if (!tasks.tasks.empty()) tasks.spec = spec.spec;
  return tasks;
}

Tasks nothing_left(const GetTask& asked) {
  return {.job = asked.job,
      .group = asked.group,
      .probe = asked.probe,
      .request = asked.request,
      .served_to = asked.probe};
}

Tasks nothing_for(const GetTask& asked) {
  return {.job = asked.job, .group = asked.group, .probe = asked.probe, .request = asked.request};
}

Tasks keep_slots(const JobState& job, const GetTask& asked, const Prober& prober, Time now) {
  Tasks tasks = tasks_for(job, asked.group, {}, prober, now);
  tasks.probe = asked.probe;
  tasks.request = asked.request;
  tasks.remaining = job.offered(asked.group);
  tasks.gathers = true;
  return tasks;
}

Tasks Binder::answer_to(const GetTask& asked, Tasks tasks) const {
  tasks.probe = asked.probe;
  tasks.request = asked.request;
  tasks.log = office_.log;
  tasks.epoch = office_.epoch;
  if (tasks.tasks.empty()) return tasks;
  tasks.standbys = office_.standbys;
  tasks.version = office_.version;
  return tasks;
}

bool Binder::repeat(Turn& turn,
    const Surroundings& around,
    const Endpoint& from,
    const JobState& job,
    const GetTask& asked,
    const Prober& prober) const {
  const auto log = answers_.find(job.id().number);
  if (log == answers_.end()) return false;
  const AnswerLog::Answer* const before = log->second.find(from.id, asked);
  if (before == nullptr) return false;
  // Its standbys may not know of them yet, and the first answer waits for those.
  say_only(turn, job, before->tasks);
  Tasks tasks = answer_to(asked, tasks_for(job, asked.group, before->tasks, prober, turn.now));
  add_inputs(tasks, job, from.id, asked.here, around);
  turn.out.send(from, tasks);
  return true;
}

std::optional<std::size_t> Binder::answer(Turn& turn,
    const Surroundings& around,
    const Endpoint& from,
    JobState& job,
    const GetTask& asked,
    const Prober& prober) {
  if (repeat(turn, around, from, job, asked, prober)) return std::nullopt;
  if (is_outdated(job, asked)) {
    turn.out.send(from, nothing_left(asked));
    return std::nullopt;
  }
  const std::size_t by_plan = planned_tasks(job, asked);
  const std::size_t room = std::min({prober.grant(asked), Tasks::kTasksMax, by_plan});
  const auto others = [&](std::span<const PeerId> avoided) {
    return prober.others_fit(around, job, asked.group, avoided);
  };
  // No task of a gang is left out because it failed there before.
  const JobState::Others all = job.spec_of(asked.group).gang ? JobState::Others{} : others;
  std::vector<Attempt> given = bind(turn, from, job, asked, room, all);
  Tasks tasks = answer_to(asked, tasks_for(job, asked.group, given, prober, turn.now));
  const std::size_t count = given.size();
  tasks.has_its_slots = count == by_plan && job.offered(asked.group) > 0;
  if (tasks.has_its_slots) tasks.remaining = job.offered(asked.group);
  add_inputs(tasks, job, from.id, asked.here, around);
  turn.out.send(from, tasks);
  // The reservation goes on to wait there.
  const bool waits_on = tasks.has_its_slots || (asked.here && tasks.remaining > 0);
  if (waits_on && count == 0) return std::nullopt;
  if (count > 0) {
    answers_[job.id().number].keep({.worker = from.id,
        .incarnation = asked.incarnation,
        .request = asked.request,
        .at = turn.now,
        .tasks = std::move(given)});
  }
  return count;
}

}  // namespace dunlin::sched
