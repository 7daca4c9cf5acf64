// SPDX-License-Identifier: MIT
#include "sim/workload/trace_terms.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "sched/job.h"

namespace dunlin::sim {
namespace {

/// The range of priorities: penalties weigh them, and 0 would forgive all.
constexpr double kLowest = 1;
constexpr double kHighest = 99;

}  // namespace

std::map<std::uint64_t, std::int16_t> priorities_of(const JobsByUser& jobs) {
  std::set<std::uint64_t> counts;
  for (const auto& [user, count] : jobs) counts.insert(count);
  std::map<std::uint64_t, std::int16_t> priorities;
  for (const auto& [user, count] : jobs) {
    const auto steps = static_cast<double>(counts.size() - 1);
    const auto above = static_cast<double>(std::distance(counts.upper_bound(count), counts.end()));
    // One user, or all with equally many jobs: nothing tells them apart.
    priorities[user] = counts.size() == 1
        ? sched::kPriorityDefault
        : static_cast<std::int16_t>(std::lround(kLowest + (kHighest - kLowest) * above / steps));
  }
  return priorities;
}

std::optional<Duration> deadline_of(const TraceParams& params, const TraceJob& job) {
  if (params.deadline_factor == 0) return std::nullopt;
  const double longest = static_cast<double>(std::ranges::max(job.durations).count());
  // Equal tasks on so many slots take run time × tasks / slots, and a single one its own time.
  const double shared = job.work() * 1e9 / params.deadline_slots;
  return Duration{std::llround(params.deadline_factor * std::max(longest, shared))};
}

}  // namespace dunlin::sim
