// SPDX-License-Identifier: MIT
#include "sched/worker/queue.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "sched/job.h"

namespace dunlin::sched {
namespace {

/// A task's length if its frontend does not tell: see Frontend::told_time().
constexpr Duration kLengthUntold = std::chrono::seconds(10);

auto submitted(const QueuedReservation& waiting) {
  const Reserve& reserve = waiting.reserve;
  return std::tuple(
      waiting.born, reserve.job.home, reserve.job.number, reserve.group, reserve.probe);
}

}  // namespace

bool Queue::holds(const JobId& job, std::uint16_t group) const {
  return std::ranges::any_of(waiting_, [&](const QueuedReservation& waiting) {
    return waiting.reserve.job == job && waiting.reserve.group == group;
  });
}

std::size_t Queue::erase(const JobId& job, std::uint16_t group) {
  return std::erase_if(waiting_, [&](const QueuedReservation& waiting) {
    return waiting.reserve.job == job && (group == kAllGroups || waiting.reserve.group == group);
  });
}

bool Queue::before(const QueuedReservation& a, const QueuedReservation& b, Time now) const {
  if (params_.discipline == Discipline::priority) {
    // Waiting is worth priority: in whole steps, so that equals are served in order of submission.
    const auto worth = [&](const QueuedReservation& waiting) {
      return waiting.reserve.priority + (now - waiting.born) / params_.ageing;
    };
    if (worth(a) != worth(b)) return worth(a) > worth(b);
  }
  if (params_.discipline == Discipline::shortest) {
    const double of_a = seems_left(a, now);
    const double of_b = seems_left(b, now);
    if (of_a != of_b) return of_a < of_b;
  }
  return submitted(a) < submitted(b);
}

// Least work left first makes jobs end soonest on average where tasks can be interrupted. Ours run
// to their end: to start many takes slots from the others now, to start long ones only keeps them
// for longer, so length counts by a power of it. Pure, that starves the longest: so who waits seems
// to have less left; and two points of priority halve it, too.
double Queue::seems_left(const QueuedReservation& waiting, Time now) const {
  const Reserve& reserve = waiting.reserve;
  const double waited = std::max(0.0, static_cast<double>((now - waiting.born).count()));
  const double patience = 1 + waited / static_cast<double>(params_.ageing.count());
  const Duration length = reserve.task_time > Duration{0} ? reserve.task_time : kLengthUntold;
  return static_cast<double>(reserve.work.count()) *
      std::pow(static_cast<double>(length.count()), params_.length_weight - 1) *
      std::exp2((kPriorityDefault - reserve.priority) / 2.0) / patience;
}

bool Queue::precedes(const QueuedReservation& waiting, const Reserve& newcomer, Time now) const {
  return before(waiting, {.reserve = newcomer, .frontend = {}, .born = now - newcomer.waited}, now);
}

std::uint32_t Queue::ahead_of(std::size_t i, Time now) const {
  return static_cast<std::uint32_t>(std::ranges::count_if(
      waiting_, [&](const QueuedReservation& other) { return before(other, waiting_[i], now); }));
}

bool Queue::keeps_room_for(std::size_t first, std::size_t best, Time now) const {
  return first != waiting_.size() && first != best && now - waiting_[first].born > params_.overtake;
}

QueuedReservation Queue::take(std::size_t i) {
  ensure(i < waiting_.size(), "no such reservation");
  QueuedReservation taken = std::move(waiting_[i]);
  waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
  return taken;
}

}  // namespace dunlin::sched
