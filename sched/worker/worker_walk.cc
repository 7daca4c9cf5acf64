// SPDX-License-Identifier: MIT
// The part of a worker that sends reservations on: to where they may start, and to where they would
// wait least.
#include <algorithm>
#include <utility>
#include <vector>

#include "sched/constraints.h"
#include "sched/job.h"
#include "sched/resources.h"
#include "sched/worker/worker.h"

namespace dunlin::sched {

// As a reservation comes to nothing as often as not.
double Worker::half_work(const QueuedReservation& waiting) {
  const Reserve& reserve = waiting.reserve;
  return 0.5 * static_cast<double>(reserve.task_time.count()) * reserve.demand.cpu;
}

void Worker::consider(Time now, Reserve& reserve) const {
  const Duration wait = wait_of(reserve, now);
  if (reserve.best_node != PeerId{} && reserve.best_wait <= wait) return;
  reserve.best_node = self_.id;
  reserve.best = self_.address;
  reserve.best_wait = wait;
}

Duration Worker::wait_of(const Reserve& reserve, Time now) const {
  // What runs ends one after the other, until there is room ...
  std::vector<std::pair<Duration, const Resources*>> ends;
  for (const RunningTask& running : running_) {
    const Duration elapsed = now - running.started;
    // Longer than thought: expect as much again.
    ends.emplace_back(
        elapsed < running.task_time ? running.task_time - elapsed : elapsed, &running.demand);
  }
  std::ranges::sort(ends, {}, [](const auto& end) { return end.first; });
  Resources room = free_;
  Duration wait{0};
  for (const auto& [left, demand] : ends) {
    if (fits(reserve.demand, room)) break;
    wait = left;
    give(room, *demand);
  }
  // ... and those before it take their share of the node.
  double ahead = 0;
  for (const PendingRequest& asking : asking_) {
    const Reserve& asked = asking.reservation.reserve;
    ahead += static_cast<double>(asked.task_time.count()) * asked.demand.cpu * asking.room;
  }
  if (by_class()) {
    ahead += work_ahead(reserve, now);
  } else {
    for (const QueuedReservation& other : queue_.waiting()) {
      if (queue_.precedes(other, reserve, now)) ahead += half_work(other);
    }
  }
  const double capacity = std::max<double>(total_.cpu, 1);
  const double most = static_cast<double>(kTaskTimeMax.count());
  return wait + Duration{static_cast<std::int64_t>(std::min(ahead / capacity, most))};
}

bool Worker::pass_on(Turn& turn, const Surroundings& around, const Reserve& reserve) {
  if (reserve.settled) return false;
  if (walk_on(turn, around, reserve)) return true;
  // The walk is over: it waits where it would wait least.
  if (reserve.best_node == PeerId{} || reserve.best_node == self_.id) return false;
  Reserve last = reserve;
  last.settled = true;
  turn.events.on(ReservationForwarded{last.job, last.probe, last.best_node, false});
  turn.out.send({last.best_node, last.best}, last);
  return true;
}

bool Worker::walk_on(Turn& turn, const Surroundings& around, const Reserve& reserve) {
  if (reserve.walk.hops_left == 0) return false;
  Reserve next = reserve;
  if (!next.walk.visited.try_push(self_.id.value)) return false;
  const Signature signature = demanded_signature(next.constraints, next.demand);
  const auto hop = draw_hop(around,
      {.demand = next.demand, .signature = signature, .visited = next.walk.visited}, next.walk,
      turn.rng);
  if (!hop) return false;
  --next.walk.hops_left;
  next.walk.greedy_hops = static_cast<std::uint8_t>(next.walk.greedy_hops + (hop->greedy ? 1 : 0));
  next.walk.last_greedy = hop->greedy;
  turn.events.on(ReservationForwarded{next.job, next.probe, hop->to.id, hop->greedy});
  turn.out.send(hop->to, next);
  return true;
}

}  // namespace dunlin::sched
