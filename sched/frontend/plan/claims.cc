// SPDX-License-Identifier: MIT
#include "sched/frontend/plan/claims.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "sched/plan/slot_width.h"

// A plan sees a job, not its groups. So the slots that its groups could use are added up, and the
// task time is such that all slots together do the job's work: a group with few tasks at once
// counts as few longer tasks. A length of which nothing is known is left open, for the manager
// knows how long the tasks of others take.
namespace dunlin::sched {
namespace {

/// So many tasks that ended lately weigh as much as one that runs longer than they did.
constexpr double kLatelyTasks = 8;

/// As those that ended lately did, with what their slots spent on them besides, else as the user
/// says; 0 if neither is known. Those that run longer than that count for as long as they have run:
/// their ends come too late to be of use.
Duration known_time(const JobState& job, std::uint16_t group, Time now) {
  const TaskGroup& spec = job.spec_of(group);
  const JobState::Group& state = job.groups()[group];
  const double said = static_cast<double>(sane_task_time(spec.duration).count());
  const double mean = state.succeeded == 0 ? said : state.lately + state.besides;
  if (mean == 0) return Duration{0};
  double tasks = std::clamp<double>(state.succeeded, 1, kLatelyTasks);
  double sum = mean * tasks;
  const auto end = job.bindings().lower_bound(state.first + spec.count);
  for (auto at = job.bindings().lower_bound(state.first); at != end; ++at) {
    const auto ran = static_cast<double>((now - at->second.bound).count());
    if (at->second.launching || ran <= mean) continue;
    sum += ran;
    ++tasks;
  }
  return sane_task_time(Duration{static_cast<std::int64_t>(std::min(sum / tasks, 9e18))});
}

/// How long the youngest task of the group has run, if it is younger than `other`.
Duration youngest(const JobState& job, std::uint16_t group, Time now, Duration other) {
  const std::uint32_t first = job.groups()[group].first;
  const auto end = job.bindings().lower_bound(first + job.spec_of(group).count);
  for (auto at = job.bindings().lower_bound(first); at != end; ++at) {
    other = std::min(other, at->second.launching ? Duration{0} : now - at->second.bound);
  }
  return other;
}

/// The jobs that may claim anything, ascending: of those that are held back the ones with tasks
/// bound. A hundred thousand may be on hold.
std::vector<std::uint32_t> claiming_jobs(const JobNeeds& needs) {
  std::vector<std::uint32_t> numbers;
  std::ranges::set_union(needs.free(), needs.bound(), std::back_inserter(numbers));
  return numbers;
}

}  // namespace

void add_claims(const JobTable& table, Time now, std::vector<cell::Claim>& claims) {
  for (const std::uint32_t number : claiming_jobs(table.indexes().needs())) {
    const JobState* const job = &table.all().at(number);
    const bool waits = is_held_back(*job);
    cell::Claim claim{.job = job->id(),
        .priority = kPriorityMin,
        .age = now - job->accepted(),
        .deadline = job->job().deadline,
        .ran = kTaskTimeMax};
    double work = 0;   // In nanoseconds of a slot; of the groups whose task times are known ...
    double timed = 0;  // ... and that many slots.
    for (std::uint16_t i = 0; i < group_count(*job); ++i) {
      const TaskGroup& spec = job->spec_of(i);
      const JobState::Group& state = job->groups()[i];
      const bool is_held = waits || job->stages().holds(i);
      const std::uint32_t tasks = state.bound + (is_held ? 0 : state.waiting + state.resting);
      if (tasks == 0) continue;
      claim.priority = std::max(claim.priority, spec.priority);
      const std::uint32_t at_once = spec.at_once == 0 ? tasks : std::min(tasks, spec.at_once);
      const std::uint32_t slots = at_once * std::min(slots_taken(spec.demand), 1u << 16);
      claim.left += slots;
      claim.held += state.bound * slots_taken(spec.demand);
      claim.ran = youngest(*job, i, now, claim.ran);
      const Duration time = known_time(*job, i, now);
      if (time == Duration{0}) continue;
      work += static_cast<double>(time.count()) * slots / at_once * tasks;
      timed += slots;
    }
    if (claim.left == 0) continue;
    if (claim.held == 0) claim.ran = Duration{0};
    if (timed > 0) claim.task_time = Duration{static_cast<std::int64_t>(work / timed)};
    claims.push_back(claim);
  }
}

}  // namespace dunlin::sched
