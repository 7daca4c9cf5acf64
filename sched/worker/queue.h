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

/// A reservation that waits here: a right to ask, not a task.
struct Waiting {
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
  const std::vector<Waiting>& waiting() const { return waiting_; }
  std::vector<Waiting>& waiting() { return waiting_; }

  /// Requires !full().
  void push(Waiting reservation) { waiting_.push_back(std::move(reservation)); }
  bool holds(const JobId& job, std::uint16_t group) const;
  /// Removes all of a job's group, or of the whole job for group 65535; returns how many.
  std::size_t erase(const JobId& job, std::uint16_t group);
  /// How many are served before element `i`.
  std::uint32_t ahead_of(std::size_t i, Time now) const;

  /// The index of what should be started next among those that fit `free`, or size() for none.
  /// One that does not fit is overtaken by smaller ones, but only for `overtake`; then room is kept
  /// for it: nobody starves.
  std::size_t choose(const Resources& free, Time now) const;
  Waiting take(std::size_t i);

 private:
  bool before(const Waiting& a, const Waiting& b, Time now) const;

  WorkerParams params_;
  std::vector<Waiting> waiting_;
};

}  // namespace dunlin::sched
