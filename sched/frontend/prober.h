// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "sched/frontend/group_probes.h"
#include "sched/frontend/job_length.h"
#include "sched/frontend/job_state.h"
#include "sched/frontend/params.h"
#include "sched/node_cache.h"
#include "sched/surroundings.h"
#include "sched/task_time.h"
#include "sched/turn.h"

namespace dunlin::sched {

/// The reservations that a frontend has out for its jobs: it sends them where the placement says,
/// hears what becomes of them, and withdraws those that are of no use any more. Source: Ousterhout
/// 2013, sections 3.2 to 3.6. Beyond the paper: leases, and lost reservations are sent again.
class Prober {
 public:
  /// `self` is the frontend.
  Prober(const FrontendParams& params, const Endpoint& self);
  /// Its jobs are those of a log, and reservations of a job count on from `first`: see LogOffice.
  void set_office(std::uint64_t log, std::uint32_t epoch, std::uint32_t first) {
    log_ = log;
    epoch_ = epoch;
    first_ = first;
  }

  /// Sends the reservations that the job calls for now. Gangs are asked for by launches.
  void probe(Turn& turn, const Surroundings& around, const JobState& job);
  /// Likewise for one group, whichever it is.
  void probe_group(
      Turn& turn, const Surroundings& around, const JobState& job, std::uint16_t group);

  /// Sends the worker a reservation of each group with tasks for it, which walks no further.
  void invite(Turn& turn, const JobState& job, const Endpoint& worker);

  /// A reservation waits at `from`. True if more were sent for it.
  bool on_queued(Turn& turn,
      const Surroundings& around,
      const Endpoint& from,
      const JobState& job,
      const Queued& queued);
  void on_bounced(Time now, const JobState& job, const Bounced& bounced);
  /// The worker `from` asked for tasks, and got so many.
  void on_served(Turn& turn,
      const Endpoint& from,
      const JobState& job,
      const GetTask& asked,
      std::size_t tasks);
  /// The job has other terms by now: tells the nodes where reservations of it wait, and counts
  /// those as none, so that others go out as for a new job. They may find nodes where the new terms
  /// let them stop tasks.
  void tell_terms(Turn& turn, const JobState& job);
  /// Withdraws the reservations of a group.
  void withdraw(Turn& turn, const JobState& job, std::uint16_t group);
  /// Withdraws the reservations of groups that offer no task.
  void withdraw_idle(Turn& turn, const JobState& job);
  /// The job is finished: withdraws what is out for it, and forgets it.
  void close(Turn& turn, const JobState& job);

  /// Gossip spoke of a node: it may be asked some day.
  void hear(Time now, const overlay::Descriptor& node) { node_cache_.hear(now, node); }
  /// It is not to be asked any more.
  void forget(PeerId node) { node_cache_.forget(node); }
  /// The reservations that waited at `node` are lost.
  void on_worker_gone(PeerId node);

  /// True if a node that is none of `avoided` could take a task of the group, as far as is known.
  bool others_fit(const Surroundings& around,
      const JobState& job,
      std::uint16_t group,
      std::span<const PeerId> avoided) const;
  /// Tasks that the worker that asks gets, if so many wait.
  std::size_t grant(const GetTask& asked) const { return placement_->grant(asked); }
  /// Those of tasks of all jobs that succeeded: they tell how long unknown ones may take.
  MeanTaskTime& task_times() { return task_times_; }
  /// The length of a task, as workers are told; 0 if that keeps it from running anywhere.
  Duration told_time(const JobState& job, std::uint16_t group, Time now) const;
  /// The length of all its waiting tasks together, as workers are told.
  Duration work(const JobState& job, Time now) const {
    return work_left(job, now, task_times_.value());
  }
  /// A reservation of the group without a number, which has not walked.
  Reserve reservation(const JobState& job, std::uint16_t group, Time now) const;
  /// A number for a reservation that is not sent from here.
  std::uint32_t next_number(const JobState& job) { return ++of(job).last; }
  /// The last reservation of the job; 0: none. All up to it are of no use once nothing waits.
  std::uint32_t last(const JobState& job) const;
  /// The reservations of a group that are out.
  const std::vector<Probe>& out(const JobState& job, std::uint16_t group) const;

 private:
  struct JobProbes {
    std::uint32_t last = 0;  ///< The id of the last reservation sent.
    std::vector<GroupProbes> groups;
  };

  struct Closed {
    std::uint32_t job = 0;   ///< Its number.
    std::uint32_t last = 0;  ///< The id of its last reservation.
  };

  JobProbes& of(const JobState& job);
  const JobProbes* find(const JobState& job) const;
  void send(Turn& turn, const JobState& job, std::uint16_t group, const Walk& walk, const Hop& hop);
  Remaining remaining(const JobState& job, std::uint16_t group, PeerId holder, Time now) const;
  void learn(const GroupProbes& group, const Walk& report);
  /// Tells the nodes where reservations of a group wait, if much less is left than they know, or
  /// its tasks take much longer or shorter.
  void tell_remaining(Turn& turn, const JobState& job, std::uint16_t group);

  FrontendParams params_;
  Endpoint self_;
  std::uint64_t log_ = 0;
  std::uint32_t epoch_ = 0;
  std::uint32_t first_ = 0;
  bool met_packing_ = false;  ///< Some worker asked for the extent of a job.
  std::unique_ptr<Placement> placement_;
  NodeCache node_cache_;
  MeanTaskTime task_times_;
  std::map<std::uint32_t, JobProbes> jobs_;  ///< By number; jobs that sent some and go on.
  std::deque<Closed> closed_;                ///< The last jobs that ended: they may go on again.
};

}  // namespace dunlin::sched
