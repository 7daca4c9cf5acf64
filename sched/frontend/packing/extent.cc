// SPDX-License-Identifier: MIT
#include "sched/frontend/packing/extent.h"

#include <algorithm>
#include <cmath>

#include "sched/frontend/job_length.h"
#include "sched/inputs/input_rates.h"
#include "sched/packing/sums.h"

// A worker sees one group of a job, and of that only what comes to it. Which job is short and which
// holds little is known to the frontend alone. It tells amounts, not shares: each worker measures
// them by its own node.
namespace dunlin::sched {
namespace {

bool differs(std::uint64_t now, std::uint64_t told) {
  const double change = std::abs(static_cast<double>(now) - static_cast<double>(told));
  return 4 * change >= static_cast<double>(std::max<std::uint64_t>(told, 1));
}

bool differs(const ResourceSums& now, const ResourceSums& told) {
  if (now.custom.size() != told.custom.size()) return true;
  for (std::size_t i = 0; i < now.custom.size(); ++i) {
    if (differs(now.custom[i].count, told.custom[i].count)) return true;
  }
  return differs(now.cpu, told.cpu) || differs(now.memory, told.memory) ||
      differs(now.disk_read, told.disk_read) || differs(now.disk_write, told.disk_write) ||
      differs(now.net_in, told.net_in) || differs(now.net_out, told.net_out);
}

}  // namespace

Extent extent_of(const JobState& job, std::uint16_t group, Time now, Duration mean) {
  Extent extent;
  for (std::uint16_t i = 0; i < job.groups().size(); ++i) {
    const JobState::Group& state = job.groups()[i];
    const TaskGroup& spec = job.spec_of(i);
    // Most tasks run where their inputs are, if any node is known to have these.
    const bool has_places = !state.inputs.nodes().empty();
    const Resources demand =
        has_places ? at_input(spec.demand, input_terms(spec.inputs, 0)) : spec.demand;
    const double waiting = static_cast<double>(state.waiting) + state.resting;
    packing::add_work(extent.work, demand, waiting, task_time(job, i, now, mean));
    packing::add(extent.held, demand, state.bound);
  }
  const JobState::Group& own = job.groups()[group];
  const std::uint64_t count = job.spec_of(group).count;
  const std::uint64_t open = std::uint64_t{own.waiting} + own.resting + own.bound;
  extent.finished = static_cast<std::uint16_t>(1000 * (count - std::min(count, open)) / count);
  return extent;
}

bool ExtentNews::tell(const Extent& now, Time at) {
  if (!told_.empty()) {
    const Extent& before = told_.front();
    if (at - at_ < kPause) return false;
    if (!differs(now.work, before.work) && !differs(now.held, before.held)) return false;
  }
  told_ = {now};
  at_ = at;
  return true;
}

}  // namespace dunlin::sched
