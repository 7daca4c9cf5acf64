// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "overlay/time.h"
#include "sim/scenario/trace_params.h"
#include "sim/workload/trace_format.h"

// Deadlines, priorities and batches for the jobs of a log that has none of them.
// Source: Lin 2014 (the NTU thesis), section 6.3.1.
namespace dunlin::sim {

using overlay::Duration;
using overlay::Time;

/// Jobs by user, counted in the first reading of a trace.
using JobsByUser = std::map<std::uint64_t, std::uint64_t>;

/// The priority of each user: the fewer jobs, the higher. From 1 to 99 evenly over the different
/// numbers of jobs; a single one has the default. The thesis says no more than that penalties weigh
/// priorities "under 100".
std::map<std::uint64_t, std::int16_t> priorities_of(const JobsByUser& jobs);

/// The deadline of a job, after its submit: `deadline_factor` times its run time on
/// `deadline_slots` slots, but at least that of its longest task. Empty if there is to be none.
std::optional<Duration> deadline_of(const TraceParams& params, const TraceJob& job);

/// The arrivals of batches: what comes within a time after a first job comes with it.
class Batches {
 public:
  explicit Batches(Duration within) : within_(within) {}
  /// The time at which a job comes that would come at `at`. Requires that times ascend.
  Time arrival(Time at) {
    if (!first_ || at - *first_ >= within_) first_ = at;
    return *first_;
  }

 private:
  Duration within_;
  std::optional<Time> first_;
};

}  // namespace dunlin::sim
