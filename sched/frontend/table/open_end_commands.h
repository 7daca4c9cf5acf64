// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <set>

#include "sched/frontend/job_state.h"

namespace dunlin::sched {

/// Which jobs of a frontend have ended while their commands for that have not, by what update()
/// found last. Their home looks for such jobs each second, and there may be a hundred thousand that
/// go on, or ended long ago.
class OpenEndCommands {
 public:
  /// Takes the place of what was known of the job.
  void update(const JobState& job);
  /// The job is forgotten, whatever became of its command.
  void forget(std::uint32_t number) { numbers_.erase(number); }

  /// Ascending.
  const std::set<std::uint32_t>& numbers() const { return numbers_; }

  friend bool operator==(const OpenEndCommands&, const OpenEndCommands&) = default;

 private:
  std::set<std::uint32_t> numbers_;
};

}  // namespace dunlin::sched
