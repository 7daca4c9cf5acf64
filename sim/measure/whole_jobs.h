// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "overlay/time.h"
#include "sim/workload/job_facts.h"

namespace dunlin::sim {

using overlay::Duration;
using overlay::Time;

/// A job as its user sees it, whether its stages are jobs of their own or groups of one job.
struct WholeJob {
  std::uint64_t key = 0;
  Time submitted{};          ///< When its user handed it in.
  Time ended{};              ///< The last end of a task so far.
  std::uint32_t tasks = 0;   ///< Of all its stages, whether they came to run or not.
  std::uint32_t stages = 0;  ///< Parts that it consists of ...
  std::uint32_t done = 0;    ///< ... and those of them that have finished.

  bool finished() const { return done == stages; }
  Duration completion() const { return ended - submitted; }
};

class Recorder;

/// Whole jobs, by their keys. A stage that was never submitted, as it waited or was refused, leaves
/// its job unfinished.
class WholeJobs {
 public:
  /// A stage of `tasks` tasks, or all of the job at once, came, and perhaps was refused.
  void on_arrival(Time arrived, const JobFacts& facts, std::uint32_t tasks);
  /// It has finished; its last task ended at `ended`.
  void on_finish(std::uint64_t key, Time ended);

  /// Those of which all has finished, in the order of keys.
  std::vector<WholeJob> finished() const;
  std::size_t count() const { return jobs_.size(); }

  struct Makespan {
    Duration time{0};
    bool at_least = false;  ///< Some job has not finished: it would have been longer.
  };
  /// From the first arrival to the last end; to `now`, if some job has not finished. Requires that
  /// there are jobs.
  Makespan makespan(Time now) const;

 private:
  std::map<std::uint64_t, WholeJob> jobs_;
};

/// The whole jobs of the measured jobs of a run.
WholeJobs whole_jobs_of(const Recorder& recorder);

}  // namespace dunlin::sim
