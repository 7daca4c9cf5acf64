// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sched/plan/plan.h"

namespace dunlin::sched {

/// Numbers of slots by speed, the fastest speed first. Slots of one speed are alike.
using SlotsBySpeed = std::vector<std::uint32_t>;
/// What one slot of each speed is worth to a job, above 0, the fastest speed first.
using WorthBySpeed = std::vector<double>;

/// All slots of these, whatever their speed.
std::uint32_t count(const SlotsBySpeed& slots);
/// What these are worth together.
double worth_of(const SlotsBySpeed& slots, const WorthBySpeed& worth);

/// The slots that no job has yet. Slots of nearly the same speed count as equal: were each learnt
/// speed one of its own, every plan would move all slots for next to nothing.
class SlotPool {
 public:
  explicit SlotPool(std::span<const PlanWorker> workers);

  std::uint32_t size() const { return size_; }
  std::uint32_t free() const { return free_; }
  SlotsBySpeed none() const { return SlotsBySpeed(speeds_.size(), 0); }

  /// The index of each worker's speed, in the order of the workers handed in.
  const std::vector<std::size_t>& speed_of() const { return speed_of_; }

  /// The speeds. As a worth: tasks of unit length that a slot ends in a unit of time.
  const WorthBySpeed& speeds() const { return speeds_; }
  /// Tasks of unit length that these slots end in a unit of time.
  double throughput(const SlotsBySpeed& slots) const { return worth_of(slots, speeds_); }

  /// Free slots that are worth `enough` together, at most `max`: those of `first` as far as they
  /// are free, then the fastest. They are worth less if there are no more. Takes nothing.
  SlotsBySpeed draw(
      std::uint32_t max, double enough, const SlotsBySpeed& first, const WorthBySpeed& worth) const;

  /// Requires that these are free.
  void take(const SlotsBySpeed& slots);

 private:
  WorthBySpeed speeds_;  ///< Descending.
  SlotsBySpeed free_of_;
  std::vector<std::size_t> speed_of_;
  std::uint32_t size_ = 0;
  std::uint32_t free_ = 0;
};

}  // namespace dunlin::sched
