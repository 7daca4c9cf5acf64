// SPDX-License-Identifier: MIT
#include "sched/frontend/outlook.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

// A user who asks for the impossible should hear it at the submit, not at the deadline. What is
// sure is little: tasks of a group run in rounds, each as long as one task, and stages one after
// the other. So this counts the rounds of the stages that take longest, and leaves out all that
// could only make it worse.
namespace dunlin::sched {
namespace {

std::uint64_t tasks_that_fit(const overlay::Descriptor& node, const Resources& demand) {
  std::uint64_t fit = kJobTasksMax;  // A task that needs nothing.
  if (demand.cpu > 0) fit = std::min<std::uint64_t>(fit, node.cpu_total / demand.cpu);
  if (demand.memory > 0) fit = std::min<std::uint64_t>(fit, node.memory_total / demand.memory);
  return fit;
}

/// That of the tasks of one group; 0 if no run time was told or no node can hold one.
Duration shortest_run(const TaskGroup& group, std::span<const overlay::Descriptor> nodes) {
  std::uint64_t at_once = 0;
  for (const auto& node : nodes) at_once += tasks_that_fit(node, group.demand);
  if (at_once == 0) return Duration{0};
  const std::uint64_t rounds = (group.count + at_once - 1) / at_once;
  const Duration each = sane_task_time(group.duration);
  if (each > Duration{0} && rounds > static_cast<std::uint64_t>(kNever.time_since_epoch() / each)) {
    return kNever.time_since_epoch();
  }
  return each * static_cast<Duration::rep>(rounds);
}

}  // namespace

Time due_of(const JobState& job) {
  const OptionalDuration& deadline = job.job().deadline;
  if (!deadline) return kNever;
  return job.accepted() + std::min(*deadline, kNever - std::max(job.accepted(), Time{}));
}

// Running tasks leave their slots one by one, as far as is known: the last of w that wait starts
// after w / s task times if s run. A job of which none runs must wait for a slot first, and that is
// taken to last as long as a task.
bool is_urgent(const JobState& job, std::uint16_t group, Duration task_time, Time now) {
  const Time due = due_of(job);
  if (due == kNever || task_time <= Duration{0} || due - now < task_time) return false;
  const JobState::Group& of = job.groups()[group];
  const double waiting = static_cast<double>(of.waiting) + of.resting;
  if (waiting == 0) return false;
  const double rounds = of.bound == 0 ? 1 : waiting / of.bound;
  return static_cast<double>((due - now).count()) <
      (1 + rounds) * static_cast<double>(task_time.count());
}

Duration shortest_run(const Job& job, std::span<const overlay::Descriptor> nodes) {
  std::vector<Duration> alone;
  for (const TaskGroup& group : job.groups) alone.push_back(shortest_run(group, nodes));
  // A group ends no sooner than the last of those that it waits for, and its own rounds.
  std::vector<std::optional<Duration>> ends(alone.size());
  const std::function<Duration(std::size_t)> end_of = [&](std::size_t index) {
    if (ends[index]) return *ends[index];
    Duration begin{0};
    for (const std::uint16_t before : job.groups[index].after) {
      begin = std::max(begin, end_of(before));
    }
    const Duration time_max = kNever.time_since_epoch();
    ends[index] = begin > time_max - alone[index] ? time_max : begin + alone[index];
    return *ends[index];
  };
  Duration longest{0};
  for (std::size_t i = 0; i < alone.size(); ++i) longest = std::max(longest, end_of(i));
  return longest;
}

}  // namespace dunlin::sched
