// SPDX-License-Identifier: MIT
#include "sim/baseline/sparrow.h"

#include <cmath>
#include <cstddef>

#include "sim/clock.h"

// Late binding: a reservation takes no room, so each task goes to whichever of the sampled workers
// gets to it first. Its price is the room that a worker keeps free for a round trip, in vain for
// all but one of `probes` reservations. What reservations are left over is not cancelled: a worker
// learns it when it asks. Peers that sample from their views are no Sparrow: a view of twenty nodes
// that a slow gossip seldom renews starves it, and one with the gradient's neighbours in it
// flatters it.
namespace dunlin::sim {

void Sparrow::place(const PlacedJob& job) {
  const auto count = static_cast<std::size_t>(std::ceil(params().probes * job->job.task_count()));
  const auto reservation = std::make_shared<Search>(Search{.job = job});
  for (const std::uint32_t machine : draw_machines(job, count)) {
    schedule(travel(job->frontend, machine), [this, reservation, machine] {
      queues_[machine].push_back(reservation);
      serve(machine);
    });
  }
}

void Sparrow::on_room(std::uint32_t machine, const PlacedJob&) {
  serve(machine);
}

void Sparrow::serve(std::uint32_t machine) {
  auto& queue = queues_[machine];
  while (!queue.empty() && sched::fits(queue.front()->job->demand(), room(machine))) {
    const Reservation reservation = std::move(queue.front());
    queue.pop_front();
    hold(machine, reservation->job);
    schedule(travel(machine, reservation->job->frontend),
        [this, reservation, machine] { answer(reservation, machine); });
  }
}

void Sparrow::answer(const Reservation& reservation, std::uint32_t machine) {
  const PlacedJob& job = reservation->job;
  const Duration trip = travel(job->frontend, machine);
  if (reservation->next < job->job.task_count()) {
    start_held(machine, {.job = job, .index = reservation->next++}, now() + trip);
    return;
  }
  schedule(trip, [this, job, machine] { release(machine, job); });
}

}  // namespace dunlin::sim
