// SPDX-License-Identifier: MIT
#include "sched/frontend/job_length.h"

#include <algorithm>

// A job of untold lengths may be one of a hundred short tasks or of a hundred long ones, and to
// start it as if it were short would fill the cluster. So its first task is a pilot: it goes before
// almost everything, alone, as one task of a tenth of the mean length. While it runs, the others
// take at least as long as it has run, and the mean length at least. Its end tells the rest.
namespace dunlin::sched {
namespace {

/// A pilot ranks as a task of this part of the mean length.
constexpr int kPilotPart = 10;

/// True if neither the user nor an ended task tells how long the tasks of a group take.
bool is_length_unknown(const TaskGroup& spec, const JobState::Group& state) {
  return state.succeeded == 0 && spec.duration == Duration{0};
}

/// True if that is so, and the first of them may start and has not.
bool pilot_waits(const JobState& job, std::uint16_t group) {
  const JobState::Group& state = job.groups()[group];
  return is_length_unknown(job.spec_of(group), state) && state.bound == 0 &&
      !job.stages().holds(group);
}

bool any_pilot_waits(const JobState& job) {
  for (std::uint16_t group = 0; group < group_count(job); ++group) {
    if (pilot_waits(job, group)) return true;
  }
  return false;
}

/// A stage that is to come is no reason to let the pilot of its job wait. Once that has begun, its
/// tasks count as all of unknown length do.
bool ranks_as_pilot(const JobState& job, std::uint16_t group) {
  return !job.stages().holds(group) || any_pilot_waits(job);
}

}  // namespace

Duration task_time(const JobState& job, std::uint16_t group, Time now, Duration mean) {
  const JobState::Group& state = job.groups()[group];
  const TaskGroup& spec = job.spec_of(group);
  if (state.succeeded > 0) {
    return sane_task_time(Duration{static_cast<std::int64_t>(state.ran / state.succeeded)});
  }
  if (!is_length_unknown(spec, state)) return spec.duration;
  if (state.bound == 0) return ranks_as_pilot(job, group) ? mean / kPilotPart : mean;
  return sane_task_time(std::max(mean, now - state.began));
}

Duration work_left(const JobState& job, Time now, Duration mean) {
  // In floating point: a million tasks of a year are more nanoseconds than there are integers.
  double sum = 0;
  for (std::uint16_t group = 0; group < group_count(job); ++group) {
    const JobState::Group& state = job.groups()[group];
    const bool unknown = is_length_unknown(job.spec_of(group), state) && state.bound == 0;
    const bool one = unknown && ranks_as_pilot(job, group);
    const std::uint32_t tasks = one ? std::min(1U, state.waiting) : state.waiting;
    sum += static_cast<double>(task_time(job, group, now, mean).count()) * tasks;
  }
  return Duration{static_cast<std::int64_t>(std::min(sum, 9e18))};
}

}  // namespace dunlin::sched
