// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "sched/frontend/job_state.h"

namespace dunlin::sched {

/// How many standbys the jobs of a frontend want and require, by what update() found last. The home
/// of a log asks ten times a second, and there may be a hundred thousand jobs.
class StandbyCounts {
 public:
  /// So many jobs by what they say; neither is ever 0.
  using Counts = std::map<std::uint8_t, std::size_t>;

  /// Takes the place of what was known of the job.
  void update(const JobState& job);
  /// The job is forgotten.
  void forget(std::uint32_t number);

  /// By Job::replicas, of all jobs.
  const Counts& replicas() const { return replicas_; }
  /// By Job::replicas_required, of all jobs.
  const Counts& required() const { return required_; }
  /// The same of those that have not finished.
  const Counts& required_by_active() const { return required_by_active_; }

  friend bool operator==(const StandbyCounts&, const StandbyCounts&) = default;

 private:
  struct Said {
    std::uint8_t replicas = 0;
    std::uint8_t required = 0;
    bool active = false;
    friend bool operator==(const Said&, const Said&) = default;
  };

  void add(const Said& said);
  void remove(const Said& said);

  std::map<std::uint32_t, Said> jobs_;  ///< Those that want or require any, by number.
  Counts replicas_;
  Counts required_;
  Counts required_by_active_;
};

/// The greatest number that any job says; 0 if none does.
std::uint8_t max_of(const StandbyCounts::Counts& counts);

}  // namespace dunlin::sched
