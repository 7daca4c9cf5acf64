// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "overlay/deadlines.h"
#include "sched/frontend/binder.h"
#include "sched/frontend/death_watch.h"
#include "sched/frontend/end_watch.h"
#include "sched/frontend/estimates/estimator.h"
#include "sched/frontend/holders.h"
#include "sched/frontend/job_state.h"
#include "sched/frontend/job_table.h"
#include "sched/frontend/late_cancels.h"
#include "sched/frontend/log_office.h"
#include "sched/frontend/params.h"
#include "sched/frontend/prober.h"
#include "sched/frontend/worker_incarnations.h"
#include "sched/surroundings.h"
#include "sched/turn.h"

namespace dunlin::sched {

class Launcher;
struct ManagerPlace;
struct WorkerParams;
namespace books {
struct Classes;
}
namespace federation {
class GlobalMaster;
struct FederationParams;
struct LaunchOutcome;
}  // namespace federation

/// The jobs submitted at this node, or those of a log that this node drives: places their tasks,
/// records their results.
///
/// Batch probing with late binding (Ousterhout 2013, sections 3.2 to 3.6): for m waiting tasks
/// ceil(ratio × m) reservations walk the cluster; workers that can start a task ask for one, first
/// asked first served. Beyond the paper: everything has a lease, lost probes are sent again, lost
/// tasks are attempted again, and each task's result is recorded exactly once.
///
/// With lead() it is a global master, too: it launches the tasks for which it knows a place, and
/// sends reservations for the others.
///
/// It wires its parts and sets their timers; each part decides about its own subject.
class Frontend {
 public:
  /// Workers confirm tasks every `renewed_every`.
  Frontend(const FrontendParams& params, const Endpoint& self, Duration renewed_every = kRenewed);
  /// Drives the jobs of a log, which `origin` took. Requires that set_office() comes first.
  Frontend(const FrontendParams& params,
      const Endpoint& self,
      PeerId origin,
      Duration renewed_every = kRenewed);
  Frontend(Frontend&&) noexcept;
  Frontend& operator=(Frontend&&) noexcept;
  ~Frontend();

  /// The office in which it speaks from now on.
  void set_office(const LogOffice& office);
  const LogOffice& office() const { return office_; }

  /// It is a global master from now on. `params` outlives it; numbers of launches begin with the
  /// incarnation of its node. Jobs wait for a match in the order of workers with `worker`.
  void lead(const federation::FederationParams& params,
      const WorkerParams& worker,
      std::uint32_t incarnation);
  /// The class table is this one from now on: see ClassClaims. Nothing if it is no global master.
  void set_classes(const books::Classes& table);
  /// When follow() should be called; kNever if it has no use for local masters.
  Time follow_at() const;
  /// Finds local masters, and hears what is new of them: see FollowedCells::follow().
  void follow(Turn& turn, std::span<const ManagerPlace> own, std::span<const ManagerPlace> known);
  /// Nullptr if it is none.
  const federation::GlobalMaster* master() const;
  /// The cells where a group of tasks is parked: see Parker.
  std::vector<CellId> parked_at(const JobState& job, std::uint16_t group) const;

  /// Takes over jobs of an earlier incarnation, as old as they are by StoredJob::submitted.
  /// Unfinished tasks wait until workers had time to report, and those of `holders` that are silent
  /// until their leases have ended: see Holders. Numbers up to `number_last` were given: an earlier
  /// database of this node may have said so. With `handed`, which names all tasks that are bound,
  /// no task waits for that.
  void restore(Turn& turn,
      std::vector<StoredJob> jobs,
      std::uint32_t number_last = 0,
      const std::vector<HandedTask>* handed = nullptr,
      std::span<const StoredHolder> holders = {});

  /// The keys of jobs that an earlier incarnation forgot, the oldest first.
  void restore_keys(Time now, std::vector<SpentKey> keys) {
    jobs_.restore_keys(now, std::move(keys));
  }

  /// `job` is well-formed and has its id from next_job().
  void submit(Turn& turn, const Surroundings& around, Job job);
  /// The id of a new job. `lineage` must never have been used for a job of this number.
  JobId next_job(std::uint64_t lineage) { return jobs_.next_id(lineage); }
  /// Ends the tasks named, or all. Fails if there is no such job here.
  Result<void> cancel(Turn& turn, const JobId& job, std::span<const std::uint32_t> tasks);
  /// Holds or releases a job, or sets its terms. Fails if there is no such job here; with `refused`
  /// if it is to be held or released and has ended.
  Result<void> change(
      Turn& turn, const Surroundings& around, const JobId& job, const JobChange& change);
  /// Runs these tasks again. Their attempts go on in number. `stored` is the record of the job,
  /// which may be left out as long as it has not ended. Fails, and changes nothing, if there is no
  /// such job here, or with `refused` if one of the tasks has not ended, or was attempted too
  /// often, or if the job would be cancelled at once by its deadline.
  Result<void> retry(Turn& turn,
      const Surroundings& around,
      const JobId& job,
      std::span<const std::uint32_t> tasks,
      const Job* stored);

  /// Has the attempts of the tasks named, or of all, end and the tasks run again. Returns how many
  /// do. Fails if there is no such job here, none of them runs, or it has ended.
  Result<std::uint32_t> requeue(Turn& turn, const JobId& job, std::span<const std::uint32_t> tasks);

  /// A plan gives the job slots at `worker`, where no reservation of it waits: sends some.
  void invite(Turn& turn, const Endpoint& worker, const JobId& job);

  void on_message(Turn& turn, const Surroundings& around, const Endpoint& from, const GetTask&);
  void on_message(Turn& turn, const Surroundings& around, const Endpoint& from, const Queued&);
  void on_message(Turn& turn, const Surroundings& around, const Endpoint& from, const Bounced&);
  void on_message(Turn& turn, const Surroundings& around, const Endpoint& from, const Refused&);
  void on_message(Turn& turn, const Surroundings& around, const Endpoint& from, const Done&);
  void on_message(Turn& turn, const Surroundings& around, const Endpoint& from, const Renew&);
  void on_message(Turn& turn, const Surroundings& around, const Endpoint& from, const Testimony&);
  void on_message(Turn& turn, const Surroundings& around, const Endpoint& from, const Facts&);
  void on_message(Turn& turn, const Surroundings& around, const Endpoint& from, const EndRequest&);
  void on_message(Turn& turn, const Surroundings& around, const Endpoint& from, const JobEnd&);
  void on_message(Turn& turn, const Surroundings& around, const Endpoint& from, const Attached&);
  void on_message(Turn& turn, const Surroundings& around, const Endpoint& from, const CellView&);
  void on_message(Turn& turn, const Surroundings& around, const Endpoint& from, const LaunchReply&);
  /// A worker is known to be gone: its tasks are lost now, not when their leases end.
  void on_worker_gone(Turn& turn, const Surroundings& around, PeerId worker);

  /// Gossip spoke of a node: it may be asked some day.
  void hear(Time now, const overlay::Descriptor& node) { prober_.hear(now, node); }
  /// It is not to be asked any more.
  void forget(PeerId node) { prober_.forget(node); }

  void wake(Turn& turn, const Surroundings& around);
  Time deadline() const { return deadlines_.earliest(); }

  /// Ascending by number.
  const std::map<std::uint32_t, JobState>& jobs() const { return jobs_.all(); }
  const JobState* find(const JobId& job) const { return jobs_.find(job); }
  const JobTable& table() const { return jobs_; }
  /// The jobs that jobs here wait for.
  const EndWatch& ends() const { return ends_; }
  /// The reservations of a task group that are out.
  const std::vector<Probe>& probes(const JobState& job, std::uint16_t group) const {
    return prober_.out(job, group);
  }

 private:
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
  static constexpr Duration kRenewed = std::chrono::seconds(1);

  /// A worker that restarted has lost its queue, and its tasks unless it kept them.
  void note_incarnation(Turn& turn,
      const Surroundings& around,
      PeerId worker,
      std::uint32_t incarnation,
      std::uint32_t since);
  void lose_tasks_at(Turn& turn, const Surroundings& around, PeerId worker);
  /// When tasks of restored jobs may be handed out, as far as is known now.
  Time hold_restored(Time now, bool handed, std::span<const StoredHolder> holders);
  /// Workers of an earlier life are waited for, or have all spoken: then tasks are handed out.
  void recover(Turn& turn, const Surroundings& around);
  void forget_idle_holders(Turn& turn);
  /// What such tasks used is known better by now: see Estimator.
  void review_demands(Turn& turn, const Surroundings& around, JobState& job);
  /// Finds workers for tasks of the job that wait.
  void seek_workers(Turn& turn, const Surroundings& around, JobState& job);
  /// Local masters told of room.
  void launch_waiting(Turn& turn, const Surroundings& around);
  void hear_outcomes(
      Turn& turn, const Surroundings& around, std::span<const federation::LaunchOutcome> outcomes);
  void wake_master(Turn& turn, const Surroundings& around);
  /// A worker asks for tasks that start together.
  void hold_gang(Turn& turn,
      const Surroundings& around,
      const Endpoint& from,
      JobState& job,
      const GetTask& asked);
  /// Ends the job, or does so when workers have said what became of its tasks.
  void cancel_job(Turn& turn, JobState& job, CancelledBy by);
  /// Closes the job if all its tasks are final, and forgets what is out for it.
  void settle(Turn& turn, JobState& job);
  /// Tells the nodes that asked after the job, which has ended.
  void tell_end(Turn& turn, const JobState& job);
  /// Says which jobs have missed their deadlines, and cancels those that are to be.
  void miss_deadlines(Turn& turn);
  /// After tasks ended or came back: settles the job, or seeks workers for those that wait.
  void settle_or_probe(Turn& turn, const Surroundings& around, JobState& job);
  void schedule(Time now);
  void schedule_launches(Time now);

  FrontendParams params_;
  PeerId origin_;
  LogOffice office_;
  JobTable jobs_;
  Prober prober_;
  Estimator estimator_;
  Binder binder_;
  WorkerIncarnations incarnations_;
  DeathWatch watch_;
  Holders holders_;
  Time recovered_{};  ///< Not before this are tasks of restored jobs handed out.
  LateCancels late_;
  EndWatch ends_;
  EndAskers askers_;
  std::unique_ptr<Launcher> launcher_;  ///< If it is a global master.
  Duration renewed_every_;
  Duration suspect_after_;
  overlay::Deadlines<Timer> deadlines_;
  /// Those of jobs up to this time are known to be missed.
  Time looked_at_deadlines_ = Time::min();
};

}  // namespace dunlin::sched
