// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "sched/frontend/job_state.h"
#include "tests/support/world.h"
#include "tests/swarm/plan.h"

namespace dunlin::test {

struct ById {
  bool operator()(const JobId& a, const JobId& b) const {
    return std::tie(a.home, a.number, a.lineage) < std::tie(b.home, b.number, b.lineage);
  }
};

/// What the users of a swarm do to their jobs: cancel, hold and release them, set their terms, have
/// tasks run again.
class JobDeeds {
 public:
  explicit JobDeeds(World& world) : world_(world) {}

  void add(const JobId& job) { jobs_.push_back(job); }
  /// To a job that it draws; to none if no node drives the one drawn.
  void carry_out(const Deed& deed, overlay::Rng& rng);
  void release_all();

  void note_cancelled(const JobId& job) { cancelled_.insert(job); }
  /// At least in part, by a user or a deadline.
  bool is_cancelled(const JobId& job) const { return cancelled_.contains(job); }
  bool is_retried(const JobId& job) const { return retried_.contains(job); }
  /// A group of it waited for one that did not succeed, and so tasks were cancelled.
  void note_missed(const JobId& job) { missed_.insert(job); }
  bool has_missed(const JobId& job) const { return missed_.contains(job); }
  /// One of the jobs, drawn; empty if there is none.
  std::optional<JobId> draw(overlay::Rng& rng) const;
  /// The node that drives the job; empty if none does.
  std::optional<std::size_t> home(const JobId& job) const;

 private:
  /// The job, if a node drives it.
  const sched::JobState* find(const JobId& job) const;
  void cancel(const sched::JobState& job, bool some, overlay::Rng& rng);
  void hold(const JobId& job, bool on);
  void set(const sched::JobState& job, overlay::Rng& rng);
  void retry(const sched::JobState& job, overlay::Rng& rng);
  void requeue(const sched::JobState& job, overlay::Rng& rng);

  World& world_;
  std::vector<JobId> jobs_;
  std::set<JobId, ById> cancelled_;
  std::set<JobId, ById> retried_;
  std::set<JobId, ById> missed_;
};

}  // namespace dunlin::test
