// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sched/turn.h"
#include "sched/worker/frontend_leases.h"
#include "sched/worker/log_homes.h"
#include "sched/worker/params.h"
#include "sched/worker/queue.h"
#include "sched/worker/running_tasks.h"
#include "sched/worker/worker_incarnation.h"
#include "sched/worker/worker_timer.h"

namespace dunlin::sched {

/// What ties the tasks of a worker to frontends: the lease of each frontend, what it must hear so
/// that its lease of the worker lasts, and which node drives the jobs of a log now.
///
/// A frontend has a lease from its first word on, as long as a task, a report or a reservation of
/// it is here. Tasks and reports of a log are for the home of the latest epoch that was heard of.
class FrontendTies {
 public:
  /// All of them outlive this.
  FrontendTies(const WorkerParams& params,
      const WorkerIncarnation& incarnation,
      RunningTasks& running,
      WorkerTimers& timers)
      : params_(params),
        incarnation_(incarnation),
        running_(running),
        timers_(timers) {}

  /// A frontend has said something: its lease begins anew. One that was silent for long gets the
  /// reports that it missed at once.
  void heard(Time now, PeerId frontend);
  /// True if that node may speak about that job: it is its frontend, as far as is known here.
  bool may_speak(PeerId node, const JobId& job) const {
    return node == job.home || homes_.has_home(node);
  }
  /// Follows the home of a log, if that is news.
  void learn_home(Time now, const TaskLog& log, const Endpoint& home);
  /// A replica of a log says which node is its home. False if no task of that log was ever here.
  bool hear(Time now, const HomeIs& told);
  /// Gossip tells of a node. If a frontend with something here has begun anew, what is for it goes
  /// to its new address from now on.
  void hear(const overlay::Descriptor& node);
  /// The tasks that outlived earlier incarnations of the worker run here again: those of one log
  /// are for the latest of its homes.
  void take_back(Time now, std::span<const KeptTask> kept);

  /// Tells frontends which of their tasks still run, and that the worker may be silent for `away`
  /// longer than their leases last.
  void renew(Turn& turn, const Load& load, Duration away = Duration{0}) const;
  /// A frontend has not heard of these tasks: tells it which of them run, sends reports of those
  /// that have ended at once, and gives back what is not here.
  void answer(Turn& turn, const Endpoint& from, const AskAfter& asked, const Load& load);
  /// Sends the reports that are due, and with them the speed of the node, in thousandths.
  void send_reports(Turn& turn, const Load& load, std::uint32_t speed = 0);
  /// Drops the reservations in `queue` of frontends that are silent, and stops their tasks once
  /// they are orphans. Forgets frontends with nothing here.
  void reap(Turn& turn, Queue& queue);

  /// Questions for the homes of logs: one for each log that has something here, and the home of
  /// which was not heard for long. None before the last ones had some time to be answered.
  std::vector<FindHome> take_lost_homes(Time now);

  const LogHomes& homes() const { return homes_; }
  const FrontendLeases& leases() const { return leases_; }

 private:
  /// Tasks of that log are for its latest home from now on.
  void follow_home(Time now, std::uint64_t log);
  /// What was for an earlier home goes to this one, reports at once: true if there is any.
  bool follow(Time now, const LogHomes::Home& home);
  /// A standby of a log said that it knows of no other home. So tasks of a silent one are no
  /// orphans yet.
  void reassure(Time now, std::uint64_t log);
  std::vector<FindHome> lost_homes(Time now) const;

  const WorkerParams& params_;
  const WorkerIncarnation& incarnation_;
  RunningTasks& running_;
  WorkerTimers& timers_;
  FrontendLeases leases_;
  LogHomes homes_;
  Time next_search_{};
};

}  // namespace dunlin::sched
