// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "overlay/time.h"

namespace dunlin::sim {

using overlay::Duration;
using overlay::Time;

/// A job as its user sees it, whether its stages are jobs of their own or groups of one job.
struct WholeJob {
  std::uint64_t key = 0;
  Time submitted{};  ///< When its first stage was.
  Time ended{};      ///< The last end of a task so far.
  std::uint32_t tasks = 0;
  std::uint32_t open = 0;  ///< Stages that were submitted and have not finished.

  Duration completion() const { return ended - submitted; }
};

class Recorder;

/// Whole jobs, by their keys.
class WholeJobs {
 public:
  /// A stage, or all of them at once, with so many tasks.
  void on_submit(Time now, std::uint64_t key, std::uint32_t tasks);
  /// It has finished; its last task ended at `ended`.
  void on_finish(std::uint64_t key, Time ended);

  /// Those of which all that was submitted has finished, in the order of keys.
  std::vector<WholeJob> finished() const;
  std::size_t count() const { return jobs_.size(); }
  /// From the first submit to the last end.
  Duration makespan() const;

 private:
  std::map<std::uint64_t, WholeJob> jobs_;
};

/// The whole jobs of the measured jobs of a run.
WholeJobs whole_jobs_of(const Recorder& recorder);

}  // namespace dunlin::sim
