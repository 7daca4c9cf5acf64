// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sched/federation/global/global_master.h"
#include "sched/frontend/job_state.h"
#include "sched/frontend/job_table.h"
#include "sched/frontend/launch/class_claims.h"
#include "sched/frontend/launch/gangs.h"
#include "sched/frontend/launch/parker.h"
#include "sched/frontend/launch/unheard_starts.h"
#include "sched/frontend/prober.h"
#include "sched/surroundings.h"
#include "sched/turn.h"
#include "sched/worker/discipline/discipline.h"
#include "sched/worker/params.h"
#include "sched/worker/queued_reservation.h"

namespace dunlin::sched {

/// Early binding: tasks go where the view of a global master has room for them, by launches. What
/// has no match is left to reservations, and so is, for a while, a job whose launches are refused
/// again and again. Each class of jobs has a queue, and they take turns; a class below its share
/// may have tasks of another one stopped for what has no match. Source: Megha, section IV.
class Launcher {
 public:
  /// The frontend that it is a part of. All of it outlives a call.
  struct Owner {
    const Surroundings& around;
    const JobTable& jobs;
    Prober& prober;
  };

  /// `params` outlives it; `self` is its node. Jobs wait in the order of workers with `worker`.
  Launcher(const federation::FederationParams& params,
      const WorkerParams& worker,
      PeerId self,
      std::uint32_t incarnation);
  ~Launcher();

  /// The class table is this one from now on.
  void set_classes(const books::Classes& table) { claims_.set_classes(table); }
  /// Launches what has a match of all these jobs. True if there is any.
  bool launch(Turn& turn, const Owner& owner, std::span<JobState* const> jobs);
  /// Asks workers after starts that others have told of, and they have not.
  void ask_after(Turn& turn, const JobTable& jobs) { unheard_.ask(turn, jobs); }
  /// What became of a launch.
  void note(Time now, const federation::LaunchOutcome& outcome);
  /// The job has ended.
  void forget(Turn& turn, const JobState& job) {
    setbacks_.erase(job.id().number);
    withdraw_idle(turn, job);
    gangs_.forget(turn_of(turn), master_, job);
  }

  /// See the functions of those names of Parker.
  bool park(Turn& turn, const JobState& job, Prober& prober) {
    return parker_.park(turn_of(turn), master_, job, prober);
  }
  void withdraw_idle(Turn& turn, const JobState& job) {
    parker_.withdraw_idle(turn_of(turn), master_, job);
    gangs_.drop_idle(turn_of(turn), master_, job);
  }
  std::vector<CellId> parked_at(const JobState& job, std::uint16_t group) const {
    return parker_.parked_at(job, group);
  }
  /// See the functions of those names of Gangs. Reservations are out for those that gather.
  void seek_gangs(Turn& turn, const Owner& owner, const JobState& job);
  bool gathers(const JobState& job, std::uint16_t group) const {
    return gangs_.gathers(job, group);
  }
  std::vector<Gangs::Holder> hold(
      Turn& turn, const JobState& job, const Endpoint& from, const GetTask& asked, Prober& prober) {
    return gangs_.hold(turn_of(turn), master_, job, from, asked, prober);
  }
  void renew(const JobState& job) { parker_.renew(job); }
  /// A worker that asked got so many tasks.
  void on_served(
      Turn& turn, const JobState& job, std::uint16_t group, std::size_t tasks, Prober& prober) {
    if (parker_.served(turn.now, job, group, tasks)) {
      (void)park(turn, job, prober);
    } else {
      withdraw_idle(turn, job);
    }
  }

  federation::GlobalMaster& master() { return master_; }
  const federation::GlobalMaster& master() const { return master_; }
  /// What the master may see of a step.
  static federation::MastersTurn turn_of(Turn& turn) {
    return {turn.now, turn.rng, turn.out, turn.effort};
  }

  /// When wake() should be called. `active`: jobs go on here.
  Time next(Time now, bool active);
  /// When the master should look for local masters; kNever while it needs none.
  Time follow_at() const { return active_ ? master_.follow_at() : kNever; }
  /// Lets go of the local masters if no job has gone on for long, and returns what is lost of
  /// launches.
  std::vector<federation::LaunchOutcome> wake(Turn& turn);

 private:
  /// Launches of a job that were refused, one after the other.
  struct Setback {
    int refused = 0;
    Time rests_until{};
  };
  /// The launch of some tasks: of a job and group, to a cell or one of its members, over a class if
  /// it preempts.
  struct To {
    std::uint32_t job = 0;
    std::uint16_t group = 0;
    CellId cell;
    std::optional<PeerId> member{};
    std::optional<ClassId> over{};
    friend auto operator<=>(const To&, const To&) = default;
  };
  struct Batch {
    const JobState* job = nullptr;
    std::vector<Attempt> tasks;
    std::vector<LaunchTarget> targets;
    std::size_t bytes = 0;
  };
  struct Step {
    std::map<To, Batch> batches;
    /// What found no place in this step: others that want the same find none either.
    std::vector<const TaskGroup*> misses;
    bool counted = false;   ///< What classes hold is.
    std::size_t bytes = 0;  ///< The work of `batches`, each of which has its own.
  };
  struct Wanted {
    JobState* job = nullptr;
    std::uint16_t group = 0;
    QueuedReservation rank;  ///< As far as the order needs it.
  };
  using Queues = std::map<ClassId, std::deque<Wanted>>;
  /// Where the next task of a group may go.
  struct Target {
    federation::Place place;
    std::optional<ClassClaims::Claim> claim;  ///< There is no room, but there may be.
  };

  /// What may be launched of the jobs, by class, in the order in which workers would serve it.
  Queues queues_of(Time now, Prober& prober, std::span<JobState* const> jobs) const;
  bool may_launch(Time now, const JobState& job) const;
  std::optional<Target> find(Turn& turn, const Owner& owner, const Wanted& wanted, Step& step);
  /// Launches one task of the group. False if it has none, or none that has a place.
  bool launch_one(Turn& turn, const Owner& owner, const Wanted& wanted, Step& step);
  void send(Turn& turn, const Prober& prober, const To& to, Batch& batch);

  const federation::FederationParams& params_;
  std::unique_ptr<const Discipline> discipline_;
  federation::GlobalMaster master_;
  Parker parker_;
  Gangs gangs_;
  ClassClaims claims_;
  UnheardStarts unheard_;
  ClassId last_class_ = 0;                     ///< The one whose turn it was last.
  std::map<std::uint32_t, Setback> setbacks_;  ///< By job number.
  bool active_ = false;                        ///< It follows local masters ...
  bool has_jobs_ = false;                      ///< ... as jobs go on, or did ...
  Time needed_until_{};                        ///< ... until not long ago.
};

}  // namespace dunlin::sched
