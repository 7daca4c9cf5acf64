// SPDX-License-Identifier: MIT
#include "sim/baseline/early_binding.h"

#include <algorithm>
#include <cmath>

#include "sim/clock.h"
#include "sim/workload/workload.h"

// A probe is a request to allocate. So every probe beyond the number of tasks takes room from
// others for nothing: for a round trip if its frontend gives it back, else for as long as a task
// runs. Against that stands the choice it gives: of several machines the first with room wins. Late
// binding has the choice without the cost, since a probe there takes no room until its frontend
// has said which task to run.
namespace dunlin::sim {

void EarlyBinding::place(const PlacedJob& job) {
  const auto count = static_cast<std::size_t>(std::ceil(params().probes * job->job.task_count()));
  auto probe =
      std::make_shared<Search>(Search{.job = job, .bound = 0, .asked = draw_machines(job, count)});
  for (const std::uint32_t machine : probe->asked) {
    schedule(travel(job->frontend, machine), [this, probe, machine] {
      queues_[machine].push_back(probe);
      allocate(machine);
    });
  }
}

void EarlyBinding::on_room(std::uint32_t machine, const PlacedJob&) {
  allocate(machine);
}

void EarlyBinding::allocate(std::uint32_t machine) {
  auto& queue = queues_[machine];
  while (!queue.empty() && sched::fits(queue.front()->job->demand(), room(machine))) {
    const Probe probe = std::move(queue.front());
    queue.pop_front();
    hold(machine, probe->job);
    schedule(travel(machine, probe->job->frontend),
        [this, probe, machine] { allocated(probe, machine); });
  }
}

// The room is held since the machine allocated it; the task runs once the frontend's word is there.
void EarlyBinding::allocated(const Probe& probe, std::uint32_t machine) {
  const PlacedJob& job = probe->job;
  std::erase(probe->asked, machine);
  const Duration trip = travel(job->frontend, machine);
  if (probe->bound < job->job.task_count()) {
    start_held(machine, {.job = job, .index = probe->bound++}, now() + trip);
    if (probe->bound == job->job.task_count() && params().gives_back) end_search(probe);
    return;
  }
  // Without giving back, no message tells a machine that its allocation is in vain: it keeps the
  // room for as long as a task of the job would run.
  const Duration held = params().gives_back ? trip : duration_of(job->job.groups.front(), 0);
  schedule(held, [this, probe, machine] { release(machine, probe->job); });
}

// An allocation that crosses the cancellation on its way is given back when it is heard of.
void EarlyBinding::end_search(const Probe& probe) {
  for (const std::uint32_t machine : probe->asked) {
    schedule(travel(probe->job->frontend, machine), [this, probe, machine] {
      std::erase(queues_[machine], probe);
      allocate(machine);
    });
  }
}

}  // namespace dunlin::sim
