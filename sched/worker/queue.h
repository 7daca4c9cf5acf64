// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sched/worker/queued_reservation.h"

namespace dunlin::sched {

/// The reservations that wait at a worker, in the order in which they came. It knows no order of
/// service: that is a Discipline's.
class Queue {
 public:
  /// Holds at most `size_max` reservations.
  explicit Queue(std::size_t size_max) : size_max_(size_max) {}

  bool full() const { return waiting_.size() >= size_max_; }
  bool empty() const { return waiting_.empty(); }
  std::size_t size() const { return waiting_.size(); }
  const std::vector<QueuedReservation>& waiting() const { return waiting_; }
  /// Requires i < size().
  QueuedReservation& operator[](std::size_t i);

  /// Puts it last. Requires that there are no more than `size_max` yet: a full queue takes one more
  /// for as long as a newcomer is compared with the others.
  void push(QueuedReservation reservation);
  /// Removes and returns element `i`. Requires i < size().
  QueuedReservation take(std::size_t i);
  /// Removes and returns all.
  std::vector<QueuedReservation> take_all();

  /// True if a reservation of the job's group waits here.
  bool holds(const JobId& job, std::uint16_t group) const;
  /// True if this very reservation waits here.
  bool holds_probe(const JobId& job, std::uint32_t probe) const;
  /// Removes all of a job's group; returns how many.
  std::size_t erase(const JobId& job, std::uint16_t group);
  /// Removes all that `frontend` sent.
  void erase_of(PeerId frontend);
  /// Drops the reservations of a job that an earlier home of its log made.
  void erase_older(const JobId& job, std::uint32_t epoch);

  /// When the first of them must be confirmed; kNever if none waits.
  Time next_confirm() const;

 private:
  std::size_t size_max_;
  std::vector<QueuedReservation> waiting_;
};

}  // namespace dunlin::sched
