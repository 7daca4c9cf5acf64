// SPDX-License-Identifier: MIT
#include "sched/worker/wait.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "sched/job.h"
#include "sched/resources.h"

// The length of a queue says little about the wait in it: ten short tasks are sooner done than one
// long one. So the estimate adds up times, as far as frontends tell them. First comes the time
// until running tasks have left room for one of the newcomer's; then the work that is served before
// it, spread over all CPUs of the node. Both are rough. They only rank the few nodes of one walk.
namespace dunlin::sched {

Duration expected_wait(
    const WorkerParts& parts, const Resources& demand, double work_ahead, Time now) {
  std::vector<std::pair<Duration, const Resources*>> ends;
  for (const RunningTask& running : parts.running.running()) {
    ends.emplace_back(time_left(running.task_time, ran_by(running, now)), &held_by(running));
  }
  std::ranges::sort(ends, {}, [](const auto& end) { return end.first; });
  Resources room = parts.slots.free();
  Duration wait{0};
  for (const auto& [left, released] : ends) {
    if (fits(demand, room)) break;
    wait = left;
    give(room, *released);
  }
  const double capacity = std::max<double>(parts.slots.total().cpu, 1);
  const double work_max = static_cast<double>(kTaskTimeMax.count());
  return wait + Duration{static_cast<std::int64_t>(std::min(work_ahead / capacity, work_max))};
}

}  // namespace dunlin::sched
