// SPDX-License-Identifier: MIT
#include "sched/worker/packing/packing_dispatcher.h"

#include <utility>

#include "sched/worker/packing/contest.h"

// A reservation stands for many tasks of one kind. If it took all the room there is, a node would
// fill with that kind, and what it leaves of other resources would be of use to nothing. So it wins
// one task at a time, and its question grows while others are put together beside it. All are sent
// when nothing more fits.
namespace dunlin::sched {

std::optional<std::size_t> PackingDispatcher::choose(Time now) const {
  const auto next = pack_next(parts_, now, parts_.requests.size());
  if (!next) return std::nullopt;
  return next->index;
}

void PackingDispatcher::dispatch(Turn& turn) {
  PendingRequests& requests = parts_.requests;
  const std::size_t asked = requests.size();
  while (const auto next = pack_next(parts_, turn.now, asked)) {
    std::size_t at = next->index;
    if (!next->asking) {
      QueuedReservation won = parts_.queue.take(next->index);
      const std::uint32_t slots_max = parts_.slots_max(won.reserve);
      at = requests.open(std::move(won), slots_max);
    }
    requests.widen(turn.now, at);
  }
  for (std::size_t i = asked; i < requests.size(); ++i) requests.send(turn, i);
}

}  // namespace dunlin::sched
