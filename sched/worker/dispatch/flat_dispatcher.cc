// SPDX-License-Identifier: MIT
#include "sched/worker/dispatch/flat_dispatcher.h"

#include <algorithm>
#include <utility>

// One queue, in the order of the discipline. The first reservation that fits is served, even if a
// larger one before it does not fit yet: otherwise slots would stand idle. The larger one is
// overtaken like that only for so long; then slots that fall free are kept until it fits. One pass
// over the queue for each start does it, because the order changes with time and no heap would
// stay sorted.
namespace dunlin::sched {

std::optional<std::size_t> FlatDispatcher::choose(Time now) const {
  const std::vector<QueuedReservation>& waiting = parts_.queue.waiting();
  const ServiceMoment at = parts_.moment(now);
  const auto earlier = [&](std::size_t i, const std::optional<std::size_t>& than) {
    return !than || serves_before(parts_.discipline, waiting[i], waiting[*than], at);
  };
  std::optional<std::size_t> first;  // In the order, but for those that wait for other slots.
  std::optional<std::size_t> best;   // Among those that fit.
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    const Fit fit = parts_.fit(waiting[i].reserve);
    if (fit == Fit::barred) continue;
    if (earlier(i, first)) first = i;
    if (fit == Fit::yes && earlier(i, best)) best = i;
  }
  const bool overtaken = first && first != best;
  if (overtaken && parts_.discipline.keeps_room_for(waiting[*first], at)) return std::nullopt;
  return best;
}

void FlatDispatcher::dispatch(Turn& turn) {
  for (auto i = choose(turn.now); i; i = choose(turn.now)) {
    QueuedReservation next = parts_.queue.take(*i);
    const std::uint16_t room = parts_.room_for(next.reserve);
    const std::uint32_t slots_max = parts_.slots_max(next.reserve);
    parts_.requests.ask(turn, std::move(next), room, slots_max);
  }
}

std::uint32_t FlatDispatcher::ahead_of(std::size_t i, Time now) const {
  const ServiceMoment at = parts_.moment(now);
  const std::vector<QueuedReservation>& waiting = parts_.queue.waiting();
  return static_cast<std::uint32_t>(
      std::ranges::count_if(waiting, [&](const QueuedReservation& other) {
        return serves_before(parts_.discipline, other, waiting[i], at);
      }));
}

double FlatDispatcher::work_ahead(const QueuedReservation& newcomer, Time now) const {
  const ServiceMoment at = parts_.moment(now);
  double ahead = parts_.requests.work();
  for (const QueuedReservation& other : parts_.queue.waiting()) {
    if (serves_before(parts_.discipline, other, newcomer, at)) ahead += half_work(other);
  }
  return ahead;
}

std::optional<std::size_t> FlatDispatcher::eviction_candidate(
    const Reserve& newcomer, Time now) const {
  return parts_.discipline.eviction_candidate(newcomer, parts_.queue.waiting(), now);
}

}  // namespace dunlin::sched
