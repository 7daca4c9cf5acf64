// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "overlay/deadlines.h"
#include "sched/frontend/after/end_watch.h"
#include "sched/frontend/binder.h"
#include "sched/frontend/estimates/estimator.h"
#include "sched/frontend/job_state.h"
#include "sched/frontend/job_table.h"
#include "sched/frontend/late_cancels.h"
#include "sched/frontend/log_office.h"
#include "sched/frontend/params.h"
#include "sched/frontend/prober.h"
#include "sched/frontend/workers/death_watch.h"
#include "sched/frontend/workers/holders.h"
#include "sched/frontend/workers/worker_incarnations.h"
#include "sched/surroundings.h"
#include "sched/turn.h"

namespace dunlin::sched {

class Launcher;

/// The parts of a frontend, and the steps that several kinds of calls end with. Each part decides
/// about its own subject. Frontend and the classes that it passes calls to (FrontendMail,
/// FrontendLaunches, FrontendRecovery) work on them.
struct FrontendParts {
  /// What the frontend waits for.
  enum class Timer {
    probes,
    leases,
    rests,
    begins,
    due,
    history,
    after,
    launches,
    recovery,
    count_
  };

  FrontendParts(
      const FrontendParams& params, const Endpoint& self, PeerId origin, Duration renewed_every);
  FrontendParts(FrontendParts&&) noexcept;
  FrontendParts& operator=(FrontendParts&&) noexcept;
  ~FrontendParts();

  void set_office(const LogOffice& held);
  /// Finds workers for tasks of the job that wait: whatever makes tasks wait is followed by it.
  void seek_workers(Turn& turn, const Surroundings& around, JobState& job);
  /// Closes the job if all its tasks are final, and forgets what is out for it: whatever ends tasks
  /// is followed by it.
  void settle(Turn& turn, JobState& job);
  /// After tasks ended or came back: settles the job, or seeks workers for those that wait.
  void settle_or_probe(Turn& turn, const Surroundings& around, JobState& job);
  /// Ends the job, or does so when workers have said what became of its tasks.
  void cancel_job(Turn& turn, JobState& job, CancelledBy by);
  /// The worker has none of its tasks any more.
  void lose_tasks_at(Turn& turn, const Surroundings& around, PeerId worker);
  /// Sets the timers anew: the last step of each call that changes what waits or is bound.
  void schedule(Time now);
  void schedule_launches(Time now);

  FrontendParams params;
  PeerId origin;  ///< The node that took the jobs.
  LogOffice office;
  JobTable jobs;
  Prober prober;
  Estimator estimator;
  Binder binder;
  WorkerIncarnations incarnations;
  DeathWatch watch;
  Holders holders;
  Time recovered{};  ///< Not before this are tasks of restored jobs handed out.
  LateCancels late;
  EndWatch ends;
  EndAskers askers;
  std::unique_ptr<Launcher> launcher;  ///< If it is a global master.
  Duration renewed_every;              ///< Workers confirm tasks so often.
  Duration suspect_after;              ///< One that is silent for so long is asked after.
  overlay::Deadlines<Timer> deadlines;
  /// Those of jobs up to this time are known to be missed.
  Time looked_at_deadlines = Time::min();

 private:
  /// The use of such tasks is known better by now: see Estimator.
  void review_demands(Turn& turn, const Surroundings& around, JobState& job);
  /// Tells the nodes that asked after the job, which has ended, and this one if jobs here wait for
  /// it: those begin upon it, so the word waits for the record of the end as any does.
  void tell_end(Turn& turn, const JobState& job);
};

}  // namespace dunlin::sched
