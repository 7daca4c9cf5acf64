// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "overlay/neighbour.h"
#include "sched/frontend/estimates/use_samples.h"
#include "sched/frontend/job_state.h"
#include "sched/frontend/params.h"
#include "sched/turn.h"

namespace dunlin::sched {

/// The demands that users leave out. A group without one demands, of each resource:
///
/// 1. what its own finished tasks used, once there are kOwnMin;
/// 2. else what those of earlier jobs of the same owner, name and group did (see Profiles), or the
///    few of its own if they used more;
/// 3. else an over-estimate: of disks `estimate_unknown` of the smallest node; of CPU and memory
/// what a job
///    that says nothing gets; of networks nothing, because many nodes cannot count them for a task.
///
/// No estimate is more than the smallest node has of those that are known and could run a task
/// without it, or a task that could run might wait for ever.
///
/// An estimate takes the place of the demand in JobState, so that placement, workers, shares and
/// plans see one number. Source: Grandl 2014, by its slides: recurring jobs, finished tasks of the
/// phase, over- rather than underestimate.
class Estimator {
 public:
  /// Own tasks, once they have finished, that tell enough by themselves.
  static constexpr std::uint32_t kOwnMin = 4;

  explicit Estimator(const FrontendParams& params)
      : rates_(params.estimate != Estimate::off),
        cpu_(params.estimate == Estimate::fluid),
        memory_(params.estimate_memory),
        unknown_(params.estimate_unknown) {}

  /// Drops from a new job what is of no use here, so that its record is as it always was.
  void accept(Job& job) const;
  /// Looks at all groups of a job that has tasks left; `nodes` are those known. Returns the groups
  /// that demand something else from now on.
  std::vector<std::uint16_t> review(
      const Turn& turn, std::span<const overlay::Neighbour> nodes, JobState& job);
  /// True if review() is worth its cost: the job is new, tasks told news, or some time went by.
  bool is_due(const JobState& job, Time now) const;
  /// A task of the job ended so.
  void learn(const JobState& job, const Report& report);
  /// A node could never run a task of the group: if it may be for an estimate, there is none of it
  /// from now on.
  void on_bounced(const JobState& job, std::uint16_t group, BounceReason reason);
  /// The job has ended: keeps profiles of its groups, and the groups have their own demands again.
  void close(const Turn& turn, JobState& job);

 private:
  struct GroupUse {
    Resources own;  ///< The demand as its user said it, or as it is if nothing is said.
    UseSamples samples;
    std::uint32_t reviewed = 0;  ///< Tasks that the last review knew of.
    bool given_up = false;       ///< Nodes cannot run what is guessed: it demands its own.
    std::optional<Profile> before;
  };
  struct JobUse {
    std::vector<GroupUse> groups;
    Time next{};  ///< Of reviews.
  };

  bool learns_anything() const { return rates_ || cpu_ || memory_; }
  JobUse& of(const Turn& turn, const JobState& job);
  /// What a task of the group demands by all that is known.
  Resources demand(
      const JobState& job, std::uint16_t group, const GroupUse& use, const Resources& node) const;

  bool rates_;
  bool cpu_;
  bool memory_;
  double unknown_;
  std::map<std::uint32_t, JobUse> jobs_;  ///< By number.
};

}  // namespace dunlin::sched
