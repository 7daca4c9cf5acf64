// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "sched/kernel.h"
#include "sched/message.h"
#include "sched/worker/loans/task_place.h"

namespace dunlin::sched {

/// Tasks asked for at once: no more fit an answer.
inline constexpr std::uint16_t kRoomMax = Tasks::kTasksMax;

/// A reservation that waits at a worker: a right to ask its frontend for tasks, not a task.
struct QueuedReservation {
  Reserve reserve;
  Endpoint frontend;
  Time born{};          ///< When its job was submitted, by this node's clock.
  Time overtaken{};     ///< Since when others may overtake it here: it came, or got a task.
  Time next_confirm{};  ///< When its frontend must hear again that it waits here.
  double left = 0;      ///< What is left of its job, as the discipline counts it: see weigh().
  /// The dominant share of what its job holds, wherever it is. Empty: its frontend does not tell.
  std::optional<double> held{};
  bool once = false;  ///< It asks once, and then waits at its local master, not here.

  /// When its job should have ended, by this node's clock. Empty: it has no deadline.
  std::optional<Time> due() const {
    if (!reserve.deadline) return std::nullopt;
    return born + std::min(*reserve.deadline, kNever - std::max(born, Time{}));
  }
};

/// The node that drives the job, as the reservation says.
inline Endpoint frontend_of(const Reserve& reserve) {
  return {reserve.home == PeerId{} ? reserve.job.home : reserve.home, reserve.frontend};
}

/// `reserve` as it would stand in a queue, had it come at `now`. Clocks of two nodes are never
/// compared: it says how long its job has waited so far.
inline QueuedReservation arriving(const Reserve& reserve, Time now) {
  return {.reserve = reserve,
      .frontend = frontend_of(reserve),
      .born = now - reserve.waited,
      .overtaken = now,
      .next_confirm = now};
}

/// Tasks worth asking for at once, at least one.
inline std::uint32_t tasks_wanted(const Reserve& reserve) {
  std::uint32_t wanted = reserve.tasks_max;
  if (is_for_inputs_here(reserve)) wanted = std::min(wanted, reserve.inputs.front().left);
  return std::clamp<std::uint32_t>(wanted, 1, kRoomMax);
}

/// The work that a waiting reservation stands for, in nanoseconds × milli-CPU. It is half a task's,
/// because a reservation comes to nothing as often as not.
inline double half_work(const QueuedReservation& waiting) {
  const Reserve& reserve = waiting.reserve;
  return 0.5 * static_cast<double>(reserve.task_time.count()) * reserve.demand.cpu;
}

}  // namespace dunlin::sched
