// SPDX-License-Identifier: MIT
#include "sched/frontend/plan/claims.h"

#include <algorithm>

#include "sched/plan/slot_width.h"

// A plan sees a job, not its groups. So the slots that its groups could use are added up, and the
// task time is such that all slots together do the job's work: a group with few tasks at once
// counts as few longer tasks. A length of which nothing is known is left open, for the manager
// knows how long the tasks of others take.
namespace dunlin::sched {
namespace {

/// As those that ended did, else as the user says; 0 if neither is known.
Duration known_time(const TaskGroup& spec, const JobState::Group& state) {
  if (state.succeeded == 0) return sane_task_time(spec.duration);
  return sane_task_time(Duration{static_cast<std::int64_t>(state.ran / state.succeeded)});
}

}  // namespace

void add_claims(const JobTable& table, Time now, std::vector<cell::Claim>& claims) {
  for (const JobState* const job : table.active()) {
    const bool waits = job->progress().held || waits_for_jobs(*job);
    cell::Claim claim{.job = job->id(),
        .priority = kPriorityMin,
        .age = now - job->accepted(),
        .deadline = job->job().deadline};
    double work = 0;   // In nanoseconds of a slot; of the groups whose task times are known ...
    double timed = 0;  // ... and that many slots.
    for (std::uint16_t i = 0; i < group_count(*job); ++i) {
      const TaskGroup& spec = job->spec_of(i);
      const JobState::Group& state = job->groups()[i];
      const std::uint32_t tasks = state.bound + (waits ? 0 : state.waiting + state.resting);
      if (tasks == 0) continue;
      claim.priority = std::max(claim.priority, spec.priority);
      const std::uint32_t at_once = spec.at_once == 0 ? tasks : std::min(tasks, spec.at_once);
      const std::uint32_t slots = at_once * std::min(slots_taken(spec.demand), 1u << 16);
      claim.left += slots;
      const Duration time = known_time(spec, state);
      if (time == Duration{0}) continue;
      work += static_cast<double>(time.count()) * slots / at_once * tasks;
      timed += slots;
    }
    if (claim.left == 0) continue;
    if (timed > 0) claim.task_time = Duration{static_cast<std::int64_t>(work / timed)};
    claims.push_back(claim);
  }
}

}  // namespace dunlin::sched
