// SPDX-License-Identifier: MIT
#include "sched/frontend/job_view.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace dunlin::sched {
namespace {

/// As `dunlin run` ends where tasks did not succeed, and none of them says by which status.
constexpr std::uint8_t kEndedBadly = EXIT_FAILURE;

}  // namespace

JobView::JobView(Job job, Time accepted, AttemptNumber base)
    : job_(std::move(job)),
      base_(base),
      tasks_(job_.task_count()),
      stages_(job_.groups),
      accepted_(accepted),
      waits_to_begin_(job_.begin.has_value()) {
  progress_.held = job_.held;
  std::uint32_t first = 0;
  for (const TaskGroup& group : job_.groups) {
    groups_.push_back({.first = first,
        .queue = WaitingTasks(first, first + group.count),
        .waiting = group.count,
        .inputs = InputIndex(group, true)});
    first += group.count;
  }
  counts_.of[static_cast<std::size_t>(TaskState::waiting)] = task_count();
}

std::uint16_t JobView::group_of(std::uint32_t index) const {
  ensure(index < task_count(), "no such task");
  const auto after = std::ranges::upper_bound(groups_, index, {}, &Group::first);
  return static_cast<std::uint16_t>(after - groups_.begin() - 1);
}

std::uint32_t JobView::offered(std::uint16_t group) const {
  const Group& state = groups_[group];
  const std::uint32_t at_once = spec_of(group).at_once;
  if (stages_.holds(group) || is_held_back(*this)) return 0;
  if (at_once != 0 && state.bound >= at_once) return 0;
  return at_once == 0 ? state.waiting : std::min(state.waiting, at_once - state.bound);
}

bool JobView::is_launching(const Attempt& attempt) const {
  const auto binding = bindings_.find(attempt.index);
  return binding != bindings_.end() && binding->second.launching &&
      binding->second.attempt == attempt.attempt;
}

std::uint16_t JobView::preemptions(std::uint32_t index) const {
  const auto found = preemptions_.find(index);
  return found == preemptions_.end() ? std::uint16_t{0} : found->second;
}

bool JobView::is_worn_out(std::uint32_t index) const {
  // The number of restarts to come is unknown: half of the numbers are theirs.
  return number_of(next_attempt(index)) + progress_.restarts > UINT16_MAX / 2;
}

EndFacts JobView::end_at(Time at) const {
  EndFacts end{.after = sane_age(at - accepted_),
      .failed = counts_[TaskState::failed],
      .cancelled = counts_[TaskState::cancelled]};
  if (begun_) end.begun = std::min(sane_age(*begun_ - accepted_), end.after);
  if (end.failed + end.cancelled == 0) return end;
  end.worst = Outcome::killed;
  end.exit = kEndedBadly;
  bool any = false;
  tasks_.for_each([&](const Task& task, std::uint32_t) {
    if (task.state != TaskState::failed) return;
    // Outcomes are declared from the mildest on, but for those that are no failure.
    end.worst = any ? std::max(end.worst, task.outcome) : task.outcome;
    if (!std::exchange(any, true) && task.exit != 0) end.exit = task.exit;
  });
  return end;
}

}  // namespace dunlin::sched
