// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "sched/frontend/job_state.h"

namespace dunlin::sched {

/// What jobs wait for, in the order of time. A frontend sets its timers after each message, so it
/// must not walk over all jobs for that: this knows of each job what update() found last.
class JobNeeds {
 public:
  /// Takes the place of what was known of the job. One that has finished needs nothing.
  void update(const JobState& job);

  /// True if a task of any job is bound.
  bool any_bound() const { return !bound_.empty(); }
  /// True if a task of any job waits that is not held.
  bool any_waiting() const { return waiting_ > 0; }
  /// When the first task of any job has rested; kNever if none rests.
  Time next_rested() const { return rests_.empty() ? kNever : rests_.begin()->first; }
  /// When the first of the jobs that wait for a time of their users may begin; kNever if none does.
  Time next_begin() const { return begins_.empty() ? kNever : begins_.begin()->first; }
  /// The first deadline of them that is later than `after`; kNever if there is none.
  Time next_due(Time after) const;

  /// The jobs of which a task is bound.
  const std::set<std::uint32_t>& bound() const { return bound_; }
  /// Those that have not finished and are not held back: see is_held_back().
  const std::set<std::uint32_t>& free() const { return free_; }
  /// Those of which a task has rested at `now`, ascending.
  std::vector<std::uint32_t> rested(Time now) const;
  /// Those that may begin at `now`, and still wait for it, ascending.
  std::vector<std::uint32_t> begun(Time now) const;
  /// Those whose deadlines are later than `after`, and not later than `until`, ascending.
  std::vector<std::uint32_t> due(Time after, Time until) const;

  friend bool operator==(const JobNeeds&, const JobNeeds&) = default;

 private:
  struct Needs {
    bool bound = false;
    bool waiting = false;
    bool free = false;
    Time rested = kNever;
    Time due = kNever;
    Time begins = kNever;
    friend bool operator==(const Needs&, const Needs&) = default;
  };
  using Times = std::set<std::pair<Time, std::uint32_t>>;  ///< With the number of the job.

  static Needs of(const JobState& job);
  void add(std::uint32_t number, const Needs& needs);
  void remove(std::uint32_t number, const Needs& needs);

  std::map<std::uint32_t, Needs> jobs_;  ///< Those that need anything, by number.
  std::set<std::uint32_t> bound_;        ///< Jobs with tasks that are bound, ...
  std::set<std::uint32_t> free_;         ///< ... those that are not held back, ...
  std::size_t waiting_ = 0;              ///< ... and so many with tasks to hand out.
  Times rests_;
  Times dues_;
  Times begins_;
};

}  // namespace dunlin::sched
