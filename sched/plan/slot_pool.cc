// SPDX-License-Identifier: MIT
#include "sched/plan/slot_pool.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "overlay/ensure.h"

// Slots are counted by speed, not one by one: a cell has thousands of slots and a handful of
// speeds, so a draw costs a step for each speed. Learnt speeds differ by noise; rounded to steps of
// a logarithm, about 9 % each, machines of one make fall into one class.
namespace dunlin::sched {
namespace {

/// Speeds within 2^(1/8) of each other, some 9 %, count as equal.
constexpr double kStepsPerDoubling = 8;

int step_of(double speed) {
  ensure(std::isfinite(speed) && speed > 0, "a worker's speed is above 0");
  return static_cast<int>(std::lround(std::log2(speed) * kStepsPerDoubling));
}

/// What is still to draw, and what has been drawn.
struct Draw {
  std::uint32_t max;
  double missing;  ///< Worth.
  SlotsBySpeed drawn;

  void add(std::size_t speed, double value, std::uint32_t available) {
    if (missing <= 0) return;
    const double wanted = std::ceil(missing / value);
    const auto slots =
        static_cast<std::uint32_t>(std::min<double>(wanted, std::min(available, max)));
    drawn[speed] += slots;
    max -= slots;
    missing -= value * slots;
  }
};

}  // namespace

std::uint32_t count(const SlotsBySpeed& slots) {
  return std::accumulate(slots.begin(), slots.end(), 0u);
}

double worth_of(const SlotsBySpeed& slots, const WorthBySpeed& worth) {
  return std::inner_product(slots.begin(), slots.end(), worth.begin(), 0.0);
}

SlotPool::SlotPool(std::span<const PlanWorker> workers) {
  std::map<int, std::size_t, std::greater<>> steps;
  for (const PlanWorker& worker : workers) steps.emplace(step_of(worker.speed), 0);
  for (auto& [step, index] : steps) {
    index = speeds_.size();
    speeds_.push_back(std::exp2(step / kStepsPerDoubling));
  }
  free_of_ = none();
  for (const PlanWorker& worker : workers) {
    speed_of_.push_back(steps.at(step_of(worker.speed)));
    free_of_[speed_of_.back()] += worker.slots;
    size_ += worker.slots;
  }
  free_ = size_;
}

SlotsBySpeed SlotPool::draw(
    std::uint32_t max, double enough, const SlotsBySpeed& first, const WorthBySpeed& worth) const {
  // The sum of many equal speeds may fall short by rounding.
  Draw draw{.max = max, .missing = enough * (1 - 1e-9), .drawn = none()};
  for (std::size_t i = 0; i < speeds_.size(); ++i) {
    draw.add(i, worth[i], std::min(first[i], free_of_[i]));
  }
  for (std::size_t i = 0; i < speeds_.size(); ++i) {
    draw.add(i, worth[i], free_of_[i] - draw.drawn[i]);
  }
  return std::move(draw.drawn);
}

void SlotPool::take(const SlotsBySpeed& slots) {
  for (std::size_t i = 0; i < speeds_.size(); ++i) {
    ensure(slots[i] <= free_of_[i], "a slot is given once");
    free_of_[i] -= slots[i];
    free_ -= slots[i];
  }
}

}  // namespace dunlin::sched
