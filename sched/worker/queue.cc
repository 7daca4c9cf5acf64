// SPDX-License-Identifier: MIT
#include "sched/worker/queue.h"

#include <algorithm>
#include <tuple>

#include "sched/resources.h"

namespace dunlin::sched {
namespace {

auto submitted(const Waiting& waiting) {
  const Reserve& reserve = waiting.reserve;
  return std::tuple(
      waiting.born, reserve.job.home, reserve.job.number, reserve.group, reserve.probe);
}

}  // namespace

bool Queue::holds(const JobId& job, std::uint16_t group) const {
  return std::ranges::any_of(waiting_, [&](const Waiting& waiting) {
    return waiting.reserve.job == job && waiting.reserve.group == group;
  });
}

std::size_t Queue::erase(const JobId& job, std::uint16_t group) {
  return std::erase_if(waiting_, [&](const Waiting& waiting) {
    return waiting.reserve.job == job && (group == kAllGroups || waiting.reserve.group == group);
  });
}

bool Queue::before(const Waiting& a, const Waiting& b, Time now) const {
  if (params_.discipline == Discipline::priority) {
    // Waiting is worth priority: in whole steps, so that equals are served in order of submission.
    const auto worth = [&](const Waiting& waiting) {
      return waiting.reserve.priority + (now - waiting.born) / params_.ageing;
    };
    if (worth(a) != worth(b)) return worth(a) > worth(b);
  }
  return submitted(a) < submitted(b);
}

std::uint32_t Queue::ahead_of(std::size_t i, Time now) const {
  return static_cast<std::uint32_t>(std::ranges::count_if(
      waiting_, [&](const Waiting& other) { return before(other, waiting_[i], now); }));
}

std::size_t Queue::choose(const Resources& free, Time now) const {
  std::size_t best = waiting_.size();
  std::size_t first = waiting_.size();
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    if (first == waiting_.size() || before(waiting_[i], waiting_[first], now)) first = i;
    if (!fits(waiting_[i].reserve.demand, free)) continue;
    if (best == waiting_.size() || before(waiting_[i], waiting_[best], now)) best = i;
  }
  const bool keep_room =
      first != waiting_.size() && first != best && now - waiting_[first].born > params_.overtake;
  return keep_room ? waiting_.size() : best;
}

Waiting Queue::take(std::size_t i) {
  ensure(i < waiting_.size(), "no such reservation");
  Waiting taken = std::move(waiting_[i]);
  waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
  return taken;
}

}  // namespace dunlin::sched
