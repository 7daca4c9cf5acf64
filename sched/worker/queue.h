// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "sched/kernel.h"
#include "sched/message.h"
#include "sched/worker/params.h"

namespace dunlin::sched {

/// Stands for all groups of a job.
inline constexpr std::uint16_t kAllGroups = 65535;

/// Whether there is room for a reservation's tasks.
enum class Fit : std::uint8_t {
  yes,
  no,      ///< Not now: room may be kept for it.
  barred,  ///< There is, but for shorter tasks.
};

/// A reservation that waits here: a right to ask, not a task.
struct QueuedReservation {
  Reserve reserve;
  Endpoint frontend;
  Time born{};  ///< When its job was submitted, by our clock: arrival minus time waited.
  Time arrived{};
  Time next_confirm{};
};

/// The reservations that wait at a worker, and the discipline that orders them.
class Queue {
 public:
  explicit Queue(const WorkerParams& params) : params_(params) {}

  bool full() const { return waiting_.size() >= params_.queue_max; }
  std::size_t size() const { return waiting_.size(); }
  bool empty() const { return waiting_.empty(); }
  const std::vector<QueuedReservation>& waiting() const { return waiting_; }
  std::vector<QueuedReservation>& waiting() { return waiting_; }

  /// Requires !full().
  void push(QueuedReservation reservation) { waiting_.push_back(std::move(reservation)); }
  bool holds(const JobId& job, std::uint16_t group) const;
  /// Removes all of a job's group, or of the whole job for group 65535; returns how many.
  std::size_t erase(const JobId& job, std::uint16_t group);
  /// How many are served before element `i`.
  std::uint32_t ahead_of(std::size_t i, Time now) const;

  /// True if the discipline serves `a` before `b`.
  bool before(const QueuedReservation& a, const QueuedReservation& b, Time now) const;
  /// True if `waiting` would be served before a reservation that came now.
  bool precedes(const QueuedReservation& waiting, const Reserve& newcomer, Time now) const;

  /// The index of what should be started next, or size() for none. `fit(reserve)` says what fits.
  /// One that does not fit is overtaken by smaller ones, but only for `overtake`; then room is kept
  /// for it: nobody starves.
  std::size_t choose(auto&& fit, Time now) const {
    std::size_t best = waiting_.size();
    std::size_t first = waiting_.size();
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
      const Fit fitting = fit(waiting_[i].reserve);
      if (fitting == Fit::barred) continue;
      if (first == waiting_.size() || before(waiting_[i], waiting_[first], now)) first = i;
      if (fitting == Fit::no) continue;
      if (best == waiting_.size() || before(waiting_[i], waiting_[best], now)) best = i;
    }
    return keeps_room_for(first, best, now) ? waiting_.size() : best;
  }
  QueuedReservation take(std::size_t i);

 private:
  bool keeps_room_for(std::size_t first, std::size_t best, Time now) const;
  double seems_left(const QueuedReservation& waiting, Time now) const;

  WorkerParams params_;
  std::vector<QueuedReservation> waiting_;
};

}  // namespace dunlin::sched
