// SPDX-License-Identifier: MIT
#include "sched/frontend/job_needs.h"

#include <algorithm>
#include <limits>

#include "sched/frontend/outlook.h"

// A burst of ten thousand jobs is ten thousand submits, questions and results. Each of them changes
// one job, and each is followed by a look at the timers. So one message costs the logarithm of the
// number of jobs, and nothing at all where the job needs what it needed before. What a timer is for
// is found here, too: a hundred thousand jobs may be on hold while ten run, or have deadlines of
// which one has come.
namespace dunlin::sched {
namespace {

/// True if tasks wait, and may be handed out now or after a rest.
bool offers_tasks(const JobState& job) {
  if (is_held_back(job)) return false;
  if (!job.stages().any()) return job.counts()[TaskState::waiting] > 0;
  for (std::uint16_t group = 0; group < group_count(job); ++group) {
    const JobState::Group& state = job.groups()[group];
    if (!job.stages().holds(group) && state.waiting + state.resting > 0) return true;
  }
  return false;
}

/// The jobs of `times`, which are in the order of time, from those later than `after` to those not
/// later than `until`: ascending by number, as all jobs are gone through.
std::vector<std::uint32_t> numbers_between(
    const std::set<std::pair<Time, std::uint32_t>>& times, Time after, Time until) {
  constexpr std::uint32_t kNumberMax = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> numbers;
  for (auto at = times.upper_bound({after, kNumberMax}); at != times.end(); ++at) {
    if (at->first > until) break;
    numbers.push_back(at->second);
  }
  std::ranges::sort(numbers);
  return numbers;
}

}  // namespace

JobNeeds::Needs JobNeeds::of(const JobState& job) {
  if (job.finished()) return {};
  return {.bound = !job.bindings().empty(),
      .waiting = offers_tasks(job),
      .free = !is_held_back(job),
      .rested = job.setbacks().next(),
      .due = due_of(job),
      .begins = job.waits_to_begin() ? job.begins_at() : kNever};
}

void JobNeeds::update(const JobState& job) {
  const std::uint32_t number = job.id().number;
  const Needs needs = of(job);
  const auto known = jobs_.find(number);
  if (known != jobs_.end()) {
    if (known->second == needs) return;
    remove(number, known->second);
    jobs_.erase(known);
  }
  if (needs == Needs{}) return;
  jobs_.emplace(number, needs);
  add(number, needs);
}

void JobNeeds::add(std::uint32_t number, const Needs& needs) {
  if (needs.bound) bound_.insert(number);
  if (needs.free) free_.insert(number);
  waiting_ += needs.waiting ? 1 : 0;
  if (needs.rested != kNever) rests_.emplace(needs.rested, number);
  if (needs.due != kNever) dues_.emplace(needs.due, number);
  if (needs.begins != kNever) begins_.emplace(needs.begins, number);
}

void JobNeeds::remove(std::uint32_t number, const Needs& needs) {
  if (needs.bound) bound_.erase(number);
  if (needs.free) free_.erase(number);
  waiting_ -= needs.waiting ? 1 : 0;
  rests_.erase({needs.rested, number});
  dues_.erase({needs.due, number});
  begins_.erase({needs.begins, number});
}

Time JobNeeds::next_due(Time after) const {
  const auto next = dues_.upper_bound({after, std::numeric_limits<std::uint32_t>::max()});
  return next == dues_.end() ? kNever : next->first;
}

std::vector<std::uint32_t> JobNeeds::rested(Time now) const {
  return numbers_between(rests_, Time::min(), now);
}

std::vector<std::uint32_t> JobNeeds::begun(Time now) const {
  return numbers_between(begins_, Time::min(), now);
}

std::vector<std::uint32_t> JobNeeds::due(Time after, Time until) const {
  return numbers_between(dues_, after, until);
}

}  // namespace dunlin::sched
