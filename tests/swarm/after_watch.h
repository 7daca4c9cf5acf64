// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <set>

#include "tests/support/world.h"
#include "tests/swarm/job_deeds.h"

namespace dunlin::test {

/// Jobs of a swarm that wait for others, and what must hold of them: none of their tasks is given
/// to a worker before each of those has ended.
class AfterWatch {
 public:
  AfterWatch(World& world, JobDeeds& deeds) : world_(world), deeds_(deeds) {}

  /// Has the job wait for up to two of those that there are.
  void draw(sched::Job& job, const std::map<JobId, sched::Job, ById>& jobs, overlay::Rng& rng);
  void add(const JobId& id, const sched::Job& job);
  void on_event(const sched::Event& event);
  /// Those that the job waits for.
  const std::vector<sched::AfterJob>& waits_for(const JobId& job) const;

 private:
  World& world_;
  JobDeeds& deeds_;
  std::map<JobId, std::vector<sched::AfterJob>, ById> waiting_;
  std::set<JobId, ById> ended_;  ///< At some node, at some time.
};

}  // namespace dunlin::test
