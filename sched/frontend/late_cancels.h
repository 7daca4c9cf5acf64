// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "sched/frontend/job_state.h"
#include "sched/turn.h"

namespace dunlin::sched {

/// Cancels that come while a restarted frontend listens for what workers have of its jobs. A task
/// that seems to wait may have ended meanwhile, and then it has a result, which counts; so such a
/// task ends only when all workers had time to say so. The wish is stored at once.
class LateCancels {
 public:
  /// True if the job is one of which workers are still to tell.
  static bool is_open(Time now, const JobState& job) {
    return !job.finished() && now < job.held_until();
  }

  /// The user wants these tasks no more. `base` is what numbers of attempts begin with here.
  void add(Turn& turn, JobState& job, std::span<const std::uint32_t> tasks, AttemptNumber base);
  /// The same of the whole job.
  void add_all(Turn& turn, JobState& job, CancelledBy by);
  /// Some of its tasks turned up at a worker: those that are wanted no more are stopped.
  void on_found(Turn& turn, JobState& job);
  /// Its progress was stored anew, which does not know that it is to be cancelled.
  void on_stored(Turn& turn, const JobState& job) const;
  /// Workers have told what they have: what still waits ends.
  void carry_out(Turn& turn, JobState& job);
  /// It has ended by itself.
  void forget(Turn& turn, const JobState& job);

 private:
  struct Wish {
    std::set<std::uint32_t> tasks{};
    std::optional<CancelledBy> all{};  ///< Then `tasks` says nothing.
  };

  std::map<std::uint32_t, Wish> wishes_;  ///< By the number of the job.
};

}  // namespace dunlin::sched
