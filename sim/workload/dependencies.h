// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "sim/workload/workload.h"

namespace dunlin::sim {

/// Holds a job back until the jobs that it waits for have ended. Frontends know no such order.
class Dependencies {
 public:
  /// Returns the submission if nothing holds it; otherwise keeps it.
  std::optional<Submission> pass(Submission submission);
  /// Notes the end of a job. Returns the jobs that waited for nothing else, in the order they came.
  std::vector<Submission> ended(std::uint64_t key);
  /// The number of jobs that still wait.
  std::size_t held() const { return held_.size(); }
  /// Those of them that arrived in [from, until).
  std::size_t held_of(Time from, Time until) const;

 private:
  struct Held {
    Submission submission;
    std::size_t parents = 0;  ///< Parents that have not ended.
  };

  std::uint64_t next_ = 0;
  std::map<std::uint64_t, Held> held_;                                     ///< By order of coming.
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> waiting_;  ///< By parent.
  std::unordered_set<std::uint64_t> ended_;
};

}  // namespace dunlin::sim
