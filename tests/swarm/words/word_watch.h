// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <set>

#include "sched/job.h"
#include "sched/observer.h"
#include "tests/support/world.h"
#include "tests/swarm/after_watch.h"

namespace dunlin::test {

/// What jobs of a swarm say beyond their tasks, and what must hold of it, whichever node drives
/// them: comment and labels stay, none of their tasks is handed out before they begin, and where
/// tasks run once none begins twice.
class WordWatch {
 public:
  /// `jobs` are all that were submitted.
  WordWatch(World& world, const Jobs& jobs) : world_(world), jobs_(jobs) {}

  static void draw(sched::Job& job, overlay::Rng& rng);
  /// The job was submitted just now. `clocks_agree` says that all nodes count its age alike.
  void note(const JobId& job, bool clocks_agree) {
    if (clocks_agree) submitted_[job] = world_.now();
  }
  void on_event(const sched::Event& event);
  /// At the end: the words of all jobs that are known are those that were submitted.
  void conclude() const;

 private:
  bool runs_once(const JobId& job) const;
  void check_begin(const sched::TaskBound& bound) const;
  void check_once(const sched::TaskStarted& started);

  World& world_;
  const Jobs& jobs_;
  std::map<JobId, Time, ById> submitted_;
  /// The attempts that began, of each task of jobs that run none twice; but for those that turned
  /// out to be unable to start.
  std::map<sched::AttemptKey, std::set<sched::AttemptNumber>> begun_;
};

}  // namespace dunlin::test
