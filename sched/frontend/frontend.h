// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <set>
#include <span>
#include <vector>

#include "overlay/deadlines.h"
#include "sched/frontend/job_state.h"
#include "sched/frontend/params.h"
#include "sched/frontend/success.h"
#include "sched/node_cache.h"
#include "sched/placement.h"
#include "sched/turn.h"

namespace dunlin::sched {

/// The jobs submitted at this node: places their tasks, records their results.
///
/// Batch probing with late binding (Ousterhout 2013, sections 3.2 to 3.6): for m waiting tasks
/// ceil(ratio × m) reservations walk the cluster; workers that can start a task ask for one, first
/// asked first served. Beyond the paper: everything has a lease, lost probes are sent again, lost
/// tasks are attempted again, and each task's result is recorded exactly once.
class Frontend {
 public:
  Frontend(const FrontendParams& params, const Endpoint& self);

  /// Takes over jobs of an earlier life, as old as they are by StoredJob::submitted. Unfinished
  /// tasks wait until workers had time to report.
  void restore(Turn& turn, std::vector<StoredJob> jobs);

  /// `job` is well-formed and has its id from next_job().
  void submit(Turn& turn, const Surroundings& around, Job job);
  JobId next_job();
  /// Ends the tasks named, or all. Fails if there is no such job here.
  Result<void> cancel(Turn& turn, const JobId& job, std::span<const std::uint32_t> tasks);

  void on_message(Turn& turn, const Surroundings& around, const Endpoint& from, const GetTask&);
  void on_message(Turn& turn, const Surroundings& around, const Endpoint& from, const Queued&);
  void on_message(Turn& turn, const Surroundings& around, const Endpoint& from, const Bounced&);
  void on_message(Turn& turn, const Surroundings& around, const Endpoint& from, const Refused&);
  void on_message(Turn& turn, const Surroundings& around, const Endpoint& from, const Done&);
  void on_message(Turn& turn, const Surroundings& around, const Endpoint& from, const Renew&);
  /// A worker is known to be gone: its tasks are lost now, not when their leases end.
  void on_worker_gone(Turn& turn, const Surroundings& around, PeerId worker);

  /// Gossip spoke of a node: it may be asked some day.
  void hear(Time now, const overlay::Descriptor& node) { node_cache_.hear(now, node); }
  /// It is not to be asked any more.
  void forget(PeerId node) { node_cache_.forget(node); }

  void wake(Turn& turn, const Surroundings& around);
  Time deadline() const { return deadlines_.earliest(); }

  /// Ascending by number.
  const std::map<std::uint32_t, JobState>& jobs() const { return jobs_; }
  const JobState* find(const JobId& job) const;
  std::uint32_t unfinished_jobs() const { return static_cast<std::uint32_t>(active_.size()); }
  const GreedySuccess& success() const { return success_; }
  const FrontendParams& params() const { return params_; }

 private:
  enum class Timer { probes, leases, history, count_ };

  JobState* find(const JobId& job);
  void probe(Turn& turn, const Surroundings& around, JobState& job);
  void probe_group(Turn& turn, const Surroundings& around, JobState& job, std::uint16_t group);
  void send_probe(Turn& turn, JobState& job, std::uint16_t group, const Walk& walk, const Hop& hop);
  void answer(Turn& turn,
      const Endpoint& to,
      JobState& job,
      const GetTask& asked,
      const JobState::Answer& answer);
  /// Reservations for each task, by how full the cluster seems.
  double ratio(const Surroundings& around) const;
  /// How long a task takes, as workers are told; 0 if that keeps it from running anywhere.
  Duration told_time(const JobState& job, std::uint16_t group) const;
  void learn_walk(const JobState& job, std::uint16_t group, const Walk& walk);
  /// Tells the nodes where reservations of a group wait, if much less is left than they know.
  void tell_remaining(Turn& turn, JobState& job, std::uint16_t group);
  void withdraw(Turn& turn, JobState& job, std::uint16_t group);
  void record(Turn& turn, JobState& job, const Endpoint& from, const Report& report);
  void lose(Turn& turn, JobState& job, std::uint32_t index);
  void kill(Turn& turn, const Endpoint& worker, const JobId& job, Attempt attempt);
  void settle(Turn& turn, JobState& job);
  /// A worker that restarted has nothing of what was bound to its earlier life.
  void note_life(Turn& turn, const Surroundings& around, PeerId worker, std::uint32_t incarnation);
  void expire_leases(Turn& turn);
  void forget_history(Turn& turn);
  void schedule(Time now);

  FrontendParams params_;
  Endpoint self_;
  std::map<std::uint32_t, JobState> jobs_;
  std::uint32_t job_last_ = 0;
  std::set<std::uint32_t> active_;         ///< Jobs not finished.
  std::map<PeerId, std::uint32_t> lives_;  ///< The last known incarnation of each worker met.
  GreedySuccess success_;
  NodeCache node_cache_;
  overlay::Deadlines<Timer> deadlines_;
};

}  // namespace dunlin::sched
