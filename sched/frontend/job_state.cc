// SPDX-License-Identifier: MIT
#include "sched/frontend/job_state.h"

#include <algorithm>

#include "sched/constraints.h"

namespace dunlin::sched {

JobState::JobState(Job job, Time accepted) : job_(std::move(job)), accepted_(accepted) {
  tasks_.resize(job_.task_count());
  std::uint32_t first = 0;
  for (const TaskGroup& group : job_.groups) {
    groups_.push_back({.first = first, .next = first, .waiting = group.count});
    signatures_.push_back(demanded_signature(group.constraints, group.demand));
    first += group.count;
  }
  counts_.of[static_cast<std::size_t>(TaskState::waiting)] = task_count();
}

std::uint16_t JobState::group_of(std::uint32_t index) const {
  ensure(index < task_count(), "no such task");
  const auto after = std::ranges::upper_bound(groups_, index, {}, &Group::first);
  return static_cast<std::uint16_t>(after - groups_.begin() - 1);
}

std::uint16_t JobState::next_attempt(std::uint32_t index) const {
  const Task& task = tasks_[index];
  return static_cast<std::uint16_t>(1u + task.failures + task.losses + progress_.restarts);
}

bool JobState::may_adopt(std::uint32_t index, std::uint16_t attempt) const {
  const Task& task = tasks_[index];
  // Numbers that no record names were given by a life that did not live to hear of them.
  return task.state == TaskState::waiting && attempt > task.ended && attempt >= task.lost &&
      attempt < next_attempt(index);
}

bool JobState::all_final() const {
  return counts_[TaskState::succeeded] + counts_[TaskState::failed] +
      counts_[TaskState::cancelled] ==
      task_count();
}

Duration JobState::task_time(std::uint16_t group, Duration unknown) const {
  const Group& state = groups_[group];
  if (state.succeeded > 0) {
    return sane_task_time(Duration{static_cast<std::int64_t>(state.ran / state.succeeded)});
  }
  const Duration said = spec_of(group).duration;
  return said > Duration{0} ? said : unknown;
}

Duration JobState::work(Duration unknown) const {
  // In floating point: a million tasks of a year are more nanoseconds than there are integers.
  double sum = 0;
  for (std::uint16_t group = 0; group < groups_.size(); ++group) {
    sum += static_cast<double>(task_time(group, unknown).count()) * groups_[group].waiting;
  }
  return Duration{static_cast<std::int64_t>(std::min(sum, 9e18))};
}

void JobState::move(std::uint32_t index, TaskState to) {
  Task& task = tasks_[index];
  ensure(may_become(task.state, to), "a task may not change state so");
  Group& group = groups_[group_of(index)];
  if (task.state == TaskState::waiting) --group.waiting;
  if (to == TaskState::waiting) ++group.waiting;
  --counts_.of[static_cast<std::size_t>(task.state)];
  ++counts_.of[static_cast<std::size_t>(to)];
  task.state = to;
}

void JobState::restore(const StoredTask& stored) {
  Task& task = tasks_[stored.index];
  task.failures = stored.failures;
  task.losses = stored.losses;
  task.ended = stored.ended;
  task.lost = stored.lost;
  if (!stored.finished) return;
  const bool success = stored.outcome == Outcome::exited && stored.status == 0;
  const bool killed = stored.outcome == Outcome::killed;
  move(stored.index,
      success      ? TaskState::succeeded
          : killed ? TaskState::cancelled
                   : TaskState::failed);
}

void JobState::count_end(std::uint32_t index, std::uint16_t attempt, bool failed) {
  find_again(index, attempt);
  Task& task = tasks_[index];
  ++(failed ? task.failures : task.losses);
  task.ended = std::max(task.ended, attempt);
}

void JobState::count_loss(std::uint32_t index, std::uint16_t attempt) {
  Task& task = tasks_[index];
  ++task.losses;
  task.lost = attempt;
}

void JobState::find_again(std::uint32_t index, std::uint16_t attempt) {
  Task& task = tasks_[index];
  if (task.lost != attempt) return;
  --task.losses;
  task.lost = 0;
}

void JobState::requeue(std::uint32_t index) {
  groups_[group_of(index)].again.push_back(index);
}

std::optional<std::uint32_t> JobState::pop_waiting(std::uint16_t group) {
  Group& of = groups_[group];
  // Either list may name tasks that have meanwhile been adopted, cancelled or finished.
  while (!of.again.empty()) {
    const std::uint32_t index = of.again.front();
    of.again.pop_front();
    if (tasks_[index].state == TaskState::waiting) return index;
  }
  const std::uint32_t end = of.first + job_.groups[group].count;
  while (of.next < end) {
    const std::uint32_t index = of.next++;
    if (tasks_[index].state == TaskState::waiting) return index;
  }
  return std::nullopt;
}

JobState::Answer* JobState::find_answer(
    PeerId worker, std::uint32_t incarnation, std::uint32_t request) {
  const auto it = std::ranges::find_if(answers_, [&](const Answer& answer) {
    return answer.worker == worker && answer.incarnation == incarnation &&
        answer.request == request;
  });
  return it == answers_.end() ? nullptr : &*it;
}

Probe* JobState::find_probe(std::uint16_t group, std::uint32_t probe) {
  auto& probes = groups_[group].probes;
  const auto it = std::ranges::find(probes, probe, &Probe::id);
  return it == probes.end() ? nullptr : &*it;
}

void JobState::erase_probe(std::uint16_t group, std::uint32_t probe) {
  std::erase_if(groups_[group].probes, [&](const Probe& p) { return p.id == probe; });
}

void JobState::finish(Time now) {
  finished_ = now;
  answers_.clear();
  for (Group& group : groups_) {
    group.probes = {};
    group.again = {};
  }
  for (TaskGroup& group : job_.groups) group.entries = {};
}

}  // namespace dunlin::sched
