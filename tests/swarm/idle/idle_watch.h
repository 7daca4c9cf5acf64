// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "sched/job.h"
#include "tests/support/world.h"

namespace dunlin::test {

/// A cluster that was healed and stood still for a while: what comes then starts at once, wherever
/// it is submitted, for what nobody needed was forgotten meanwhile and nothing else was.
class IdleWatch {
 public:
  explicit IdleWatch(World& world) : world_(world) {}

  /// All is healed, and no job is left.
  void begin() { active_ = true; }
  void on_event(const sched::Event& event);
  /// Fails if a task is bound and does not start. Call it from time to time, between steps.
  void look() const;
  /// Submits jobs of a few small tasks, which any node can run, at nodes that are drawn.
  std::vector<std::pair<JobId, sched::Job>> submit(overlay::Rng& rng);

 private:
  using Key = std::tuple<std::uint64_t, std::uint32_t, std::uint64_t, std::uint32_t, std::uint32_t>;
  static Key key_of(const sched::JobId& job, std::uint32_t index, std::uint32_t attempt) {
    return {job.home.value, job.number, job.lineage, index, attempt};
  }

  World& world_;
  bool active_ = false;
  std::map<Key, Time> bound_;  ///< Those that have not started, and since when.
};

}  // namespace dunlin::test
