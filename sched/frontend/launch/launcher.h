// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "sched/federation/global/global_master.h"
#include "sched/frontend/job_state.h"
#include "sched/frontend/launch/parker.h"
#include "sched/frontend/prober.h"
#include "sched/surroundings.h"
#include "sched/turn.h"

namespace dunlin::sched {

/// Early binding: tasks go where the view of a global master has room for them, by launches. What
/// has no match is left to reservations, and so is, for a while, a job whose launches are refused
/// again and again. Source: Megha, section IV.
class Launcher {
 public:
  /// `params` outlives it; `self` is its node.
  Launcher(const federation::FederationParams& params, PeerId self, std::uint32_t incarnation)
      : params_(params),
        master_(params_, self, incarnation),
        parker_(params_) {}

  /// Launches tasks of the job that wait, those that have a match. True if there are any.
  bool launch(Turn& turn, const Surroundings& around, JobState& job, const Prober& prober);
  /// Launches what has a match of all these jobs, in this order.
  void launch(Turn& turn,
      const Surroundings& around,
      std::span<JobState* const> jobs,
      const Prober& prober);
  /// That became of a launch.
  void note(Time now, const federation::LaunchOutcome& outcome);
  /// The job has ended.
  void forget(Turn& turn, const JobState& job) {
    setbacks_.erase(job.id().number);
    withdraw_idle(turn, job);
  }

  /// See the functions of those names of Parker.
  bool park(Turn& turn, const JobState& job, Prober& prober) {
    return parker_.park(turn_of(turn), master_, job, prober);
  }
  void withdraw_idle(Turn& turn, const JobState& job) {
    parker_.withdraw_idle(turn_of(turn), master_, job);
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
  static federation::MastersTurn turn_of(Turn& turn) { return {turn.now, turn.rng, turn.out}; }

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
  /// Tasks for one cell.
  struct Batch {
    std::vector<Attempt> tasks;
    std::vector<LaunchTarget> targets;
    std::size_t bytes = 0;
  };
  /// What found no place in this step: others that want the same find none either.
  using Misses = std::vector<const TaskGroup*>;

  bool launch(
      Turn& turn, const Surroundings& around, JobState& job, const Prober& prober, Misses& misses);
  bool launch_group(Turn& turn,
      const Surroundings& around,
      JobState& job,
      std::uint16_t group,
      const Prober& prober,
      Misses& misses);
  void send(Turn& turn,
      const JobState& job,
      std::uint16_t group,
      const Prober& prober,
      CellId cell,
      Batch& batch);

  const federation::FederationParams& params_;
  federation::GlobalMaster master_;
  Parker parker_;
  std::map<std::uint32_t, Setback> setbacks_;  ///< By job number.
  bool active_ = false;                        ///< It follows local masters ...
  bool has_jobs_ = false;                      ///< ... as jobs go on, or did ...
  Time needed_until_{};                        ///< ... until not long ago.
};

}  // namespace dunlin::sched
