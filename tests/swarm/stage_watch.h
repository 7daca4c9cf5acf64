// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>

#include "tests/support/world.h"
#include "tests/swarm/after_watch.h"
#include "tests/swarm/job_deeds.h"

namespace dunlin::test {

/// Jobs of a swarm with stages, and what must hold of them: no task is handed out before all tasks
/// of the groups that its own waits for have succeeded, and none starts before that is durable.
class StageWatch {
 public:
  /// `jobs` are all that were submitted, `is_lost` says which of them went with a disk.
  StageWatch(
      World& world, JobDeeds& deeds, const Jobs& jobs, std::function<bool(const JobId&)> is_lost)
      : world_(world),
        deeds_(deeds),
        jobs_(jobs),
        is_lost_(std::move(is_lost)) {}

  /// Has groups of the job wait for others of it.
  static void draw(sched::Job& job, overlay::Rng& rng);
  void on_event(std::size_t node, const sched::Event& event);
  /// True if tasks of a group may have been cancelled because a stage before did not succeed, by
  /// the results in `store`.
  bool may_be_cancelled(const MemoryStore& store, const JobId& job, std::uint16_t group) const;
  /// So many tasks started of groups that had waited.
  std::uint64_t started() const { return started_; }

 private:
  /// Calls `act(index)` for the tasks that a task waits for.
  void for_each_before(const JobId& job, std::uint32_t index, auto&& act) const;
  void check_handed_out(std::size_t node, const JobId& job, std::uint32_t index) const;
  void check_started(const JobId& job, std::uint32_t index);

  World& world_;
  JobDeeds& deeds_;
  const Jobs& jobs_;
  std::function<bool(const JobId&)> is_lost_;
  std::uint64_t started_ = 0;
};

}  // namespace dunlin::test
