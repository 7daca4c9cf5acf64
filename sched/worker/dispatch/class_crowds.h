// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "sched/worker/discipline/discipline.h"
#include "sched/worker/share/class_shares.h"

// The place of classes in a worker's queue, by the number of reservations that wait of each. All
// functions take the queue as it is at one moment and the tickets that hold then.
namespace dunlin::sched {

/// A queue of which classes have shares.
struct ClassQueue {
  std::span<const QueuedReservation> waiting;
  const ClassShares& shares;
  const Discipline& discipline;
  ServiceMoment at;
};

/// The element of a full queue that leaves for `newcomer`: the last of the class that is furthest
/// beyond its part of the queue. Empty if that is the newcomer's own.
std::optional<std::size_t> crowded_element(const ClassQueue& queue, const Reserve& newcomer);

/// The reservations that are served before element `i`: those of its own class that the discipline
/// puts before it, and of each other class as many as its tickets are worth meanwhile.
std::uint32_t ahead_by_class(const ClassQueue& queue, std::size_t i);

/// The work that is served before `newcomer`, in nanoseconds × milli-CPU. Its class gets its part
/// of the node alone, so the work of its own class before it counts in inverse proportion to that
/// part; but never more than there is in all.
double work_ahead_by_class(const ClassQueue& queue, const QueuedReservation& newcomer);

}  // namespace dunlin::sched
