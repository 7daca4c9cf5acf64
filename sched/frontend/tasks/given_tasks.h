// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "sched/job.h"

namespace dunlin::sched {

/// Tasks of a job that runs none twice, of which an earlier life of its frontend gave an attempt
/// that may have begun, and of whose fate nothing is known yet: see Wished::only. Workers tell of
/// them as long as the frontend listens.
class GivenTasks {
 public:
  /// Takes over what was stored of one of its tasks.
  void restore(const StoredTask& task) {
    const bool open = !task.finished && task.only > std::max({task.retried, task.ended, task.lost});
    if (open) tasks_[task.index] = task.only;
  }
  /// Its fate is known.
  void forget(std::uint32_t index) { tasks_.erase(index); }
  void clear() { tasks_.clear(); }
  bool any() const { return !tasks_.empty(); }
  /// The attempts, ascending by task.
  std::vector<Attempt> all() const {
    std::vector<Attempt> attempts;
    attempts.reserve(tasks_.size());
    for (const auto& [index, attempt] : tasks_) {
      attempts.push_back({.index = index, .attempt = attempt});
    }
    return attempts;
  }

 private:
  std::map<std::uint32_t, AttemptNumber> tasks_;
};

}  // namespace dunlin::sched
