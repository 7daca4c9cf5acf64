// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>

#include "tests/support/world.h"
#include "tests/swarm/job_deeds.h"

namespace dunlin::test {

using Jobs = std::map<JobId, sched::Job, ById>;

/// Jobs of a swarm that wait for others, and what must hold of them: none of their tasks is given
/// to a worker before each of those has ended as it must, and none is cancelled without a cause.
class AfterWatch {
 public:
  /// `jobs` are all that were submitted, `is_lost` says which of them went with the last disk that
  /// had them.
  AfterWatch(
      World& world, JobDeeds& deeds, const Jobs& jobs, std::function<bool(const JobId&)> is_lost)
      : world_(world),
        deeds_(deeds),
        jobs_(jobs),
        is_lost_(std::move(is_lost)) {}

  /// Has a job, which is to be submitted at `node`, wait for up to two of those that there are.
  void draw(sched::Job& job, std::size_t node, overlay::Rng& rng) const;
  void on_event(const sched::Event& event);
  /// True if the job waits for one with replicas which is lost: no node can say how that ended.
  bool is_stuck(const JobId& job) const;
  /// What the job still waits for, for a failure's message.
  std::string describe(const JobId& job) const;
  /// So many tasks were bound of jobs that had waited.
  std::uint64_t bound() const { return bound_; }

 private:
  /// Those that the job waits for.
  const std::vector<sched::AfterJob>& waits_for(const JobId& job) const;
  void check_bound(const JobId& job, const sched::AfterJob& after) const;
  void check_missed(const sched::AfterSettled& settled) const;
  /// True if the job ended without an event: a home that begins with one which was cancelled has it
  /// ended from the start.
  bool ended_unsaid(const JobId& job) const;
  /// True if no node has the job: it was lost, or it never was acknowledged.
  bool is_gone(const JobId& job) const;
  /// True if the home of a job without replicas has all results on its disk.
  bool keeps_results(const JobId& job) const;

  World& world_;
  JobDeeds& deeds_;
  const Jobs& jobs_;
  std::function<bool(const JobId&)> is_lost_;
  std::set<JobId, ById> ended_well_;   ///< At some node, at some time: all tasks had succeeded.
  std::set<JobId, ById> ended_badly_;  ///< So, but others.
  std::uint64_t bound_ = 0;
};

}  // namespace dunlin::test
