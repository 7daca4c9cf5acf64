// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "sched/packing/dimensions.h"
#include "sched/packing/score.h"

namespace dunlin::sched::packing {

/// A job that has something queued at the node.
struct Job {
  double share = 0;            ///< The dominant share of what it holds, of any one node.
  std::int64_t submitted = 0;  ///< Of two jobs, the one submitted first has the smaller number.
};

/// A task which fits into what is free: one for each kind of tasks of a job.
struct Candidate {
  std::uint32_t job = 0;  ///< Its index among the jobs.
  const Resources* demand = nullptr;
  double work_left = 0;  ///< Of its job, over all resources, in node-seconds; as it seems.
  bool remote = false;   ///< Its input is elsewhere.
  bool hurries = false;  ///< It is among the last of a stage: see nears_barrier().
};

/// The jobs that compete, of `jobs`: the part 1 - `fairness`, rounded up.
std::size_t competing_jobs(double fairness, std::size_t jobs);

/// True once the part `barrier` of the tasks of a stage has ended, while others have not.
bool nears_barrier(double barrier, double finished);

/// Chooses what a node starts next, so that tasks leave few fragments, short jobs end soon and no
/// job is left far behind. It is asked for one task at a time, each time with what is free by then,
/// until nothing fits. Source: Grandl 2014, "Multi-Resource Packing for Cluster Schedulers".
class Packer {
 public:
  /// `total` as for Dimensions.
  Packer(const Rules& rules, const Resources& total) : rules_(rules), dimensions_(total) {}

  const Rules& rules() const { return rules_; }
  const Dimensions& dimensions() const { return dimensions_; }

  /// A, slides 11 and 25: how well the candidate goes with what is free.
  double alignment(const Candidate& candidate, const Shares& free, const Shares& weights) const;

  /// The index of the candidate that starts next; empty if there is none. `jobs` are all that have
  /// something queued, whether it fits or not. Equal ones go by submission, then as they stand
  /// here.
  std::optional<std::size_t> choose(const Resources& free,
      const Shares& weights,
      std::span<const Job> jobs,
      std::span<const Candidate> candidates) const;

 private:
  Rules rules_;
  Dimensions dimensions_;
};

}  // namespace dunlin::sched::packing
