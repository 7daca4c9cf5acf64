// SPDX-License-Identifier: MIT
#include "sim/baseline/omniscient.h"

#include <algorithm>

#include "sim/clock.h"

// When a task ends, only its machine has new room, so the queue is walked for that machine alone.
namespace dunlin::sim {

Omniscient::Omniscient(const Options& options, Recorder& recorder) : Baseline(options, recorder) {
  for (std::uint32_t i = 0; i < machines(); ++i) sort_in(i);
}

double Omniscient::freedom(std::uint32_t machine) const {
  // A resource of which a machine has none keeps no task out: it counts as free.
  const auto share = [](std::uint32_t free, std::uint32_t all) {
    return all == 0 ? 1.0 : static_cast<double>(free) / all;
  };
  return share(room(machine).cpu, total(machine).cpu) *
      share(room(machine).memory, total(machine).memory);
}

void Omniscient::sort_in(std::uint32_t machine) {
  machines_by_room_.put(machine, {speed(machine), freedom(machine)});
}

void Omniscient::assign(std::uint32_t machine, Waiting& waiting) {
  const Placed& job = *waiting.job;
  // The task sets out when it is submitted, and waits on its way: where room comes later than that,
  // the trip costs nothing.
  const Time arrival = job.submitted + travel(job.frontend, machine);
  start(machine, {.job = waiting.job, .index = waiting.next++}, std::max(now(), arrival));
  sort_in(machine);
}

void Omniscient::place(const PlacedJob& job) {
  Waiting waiting{.job = job};
  const std::uint32_t tasks = job->job.task_count();
  while (waiting.next < tasks) {
    const auto fit = machines_by_room_.best(rng(), [&](std::uint32_t machine) {
      return satisfies(machine, job) && sched::fits(job->demand(), room(machine));
    });
    if (!fit) break;
    assign(*fit, waiting);
  }
  if (waiting.next < tasks) queue_.push_back(std::move(waiting));
}

void Omniscient::on_room(std::uint32_t machine, const PlacedJob&) {
  sort_in(machine);
  for (auto it = queue_.begin(); it != queue_.end();) {
    const std::uint32_t tasks = it->job->job.task_count();
    while (it->next < tasks && satisfies(machine, it->job) &&
        sched::fits(it->job->demand(), room(machine))) {
      assign(machine, *it);
    }
    it = it->next == tasks ? queue_.erase(it) : it + 1;
    // Without CPU hardly a task fits: the walk through a long queue ends here.
    if (room(machine).cpu == 0) return;
  }
}

}  // namespace dunlin::sim
