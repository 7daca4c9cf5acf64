// SPDX-License-Identifier: MIT
#include <algorithm>
#include <functional>

#include "sched/frontend/job_state.h"

// Which task a worker gets that asks for one. First those with their input there, then the others
// by their order; none that avoids the worker, as long as another one could take it, and none that
// stays for the nodes with its input.
namespace dunlin::sched {
namespace {

using TaskTest = std::function<bool(std::uint32_t)>;

/// Takes out the next task of a group with its input at `node` that both are true of; empty if
/// there is none.
std::optional<std::uint32_t> pop_at(
    JobView::Group& group, PeerId node, const TaskTest& waits, const TaskTest& suits) {
  if (group.inputs.left(node) == 0) return std::nullopt;
  const auto is_next = [&](std::uint32_t index) {
    return waits(index) && suits(index) && group.inputs.is_at(index - group.first, node);
  };
  if (const auto again = group.queue.pop_again(is_next)) return again;
  // The index names a task once. What waits and avoids the node only for now, as after a restart of
  // the frontend, is among those to attempt once more: perhaps no other node can ever take it.
  const auto next = group.inputs.next(node, [&](std::uint32_t task) {
    const std::uint32_t index = group.first + task;
    if (waits(index) && !suits(index)) group.queue.push(index);
    return is_next(index);
  });
  if (!next) return std::nullopt;
  return group.first + *next;
}

}  // namespace

std::optional<Attempt> JobState::bind(std::uint16_t group,
    const Endpoint& worker,
    std::uint32_t incarnation,
    Time now,
    const Others& others,
    bool here) {
  if (now < held_until_ || given_.any() || offered(group) == 0) return std::nullopt;
  // A task that rests is not in the queue, but an older place of it may be.
  const auto waits = [&](std::uint32_t index) {
    return tasks_[index].state == TaskState::waiting && !setbacks_.rests(index);
  };
  const auto suits = [&](std::uint32_t index) {
    const auto avoided = setbacks_.avoided(index, now);
    return std::ranges::count(avoided, worker.id) == 0 || !others || !others(avoided);
  };
  Group& of = groups_[group];
  std::optional<std::uint32_t> index;
  if (of.inputs.any()) index = pop_at(of, worker.id, waits, suits);
  const auto may_go = [&](std::uint32_t task) {
    return suits(task) &&
        (!of.inputs.stays(task - of.first, now) || of.inputs.is_at(task - of.first, worker.id));
  };
  if (!index && !here) index = of.queue.pop(waits, may_go);
  if (!index) return std::nullopt;
  if (std::ranges::count(setbacks_.avoided(*index, now), worker.id) > 0) {
    setbacks_.forgive(*index);
  }
  const Attempt given{*index, next_attempt(*index)};
  bindings_[*index] = {.attempt = given.attempt,
      .worker = worker,
      .incarnation = incarnation,
      .bound = now,
      .confirmed = now,
      .memory_guessed = holds(groups_[group].guessed, &Resources::memory)};
  move(*index, TaskState::launched);
  if (of.inputs.any() && of.inputs.is_at(*index - of.first, worker.id)) {
    of.inputs.forget_misses(*index - of.first);
  }
  if (of.bound == 1) of.began = now;
  if (!begun_) begun_ = now;
  return given;
}

std::optional<Attempt> JobState::launch(
    std::uint16_t group, PeerId node, Time now, const Others& others) {
  const auto given = bind(group, {.id = node}, 0, now, others);
  if (!given) return given;
  Binding& binding = bindings_.at(given->index);
  binding.launching = true;
  binding.heard = false;
  return given;
}

}  // namespace dunlin::sched
