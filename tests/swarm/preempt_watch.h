// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "sched/observer.h"
#include "sched/worker/params.h"
#include "sched/worker/running_tasks.h"
#include "tests/support/world.h"

namespace dunlin::test {

/// Tasks that workers of a swarm stop for others, and what must hold of each, by what its worker
/// has at that moment: one waits for it that may have its room, it is not protected, and what has
/// been stopped already is not enough.
class PreemptWatch {
 public:
  PreemptWatch(World& world, const sched::WorkerParams& params) : world_(world), params_(params) {}

  void on_event(std::size_t node, const sched::Event& event);
  /// Workers may stop tasks, so nodes should be full.
  bool expects() const { return params_.preempt != sched::PreemptMode::off; }
  /// So many were stopped in favour of others.
  std::uint64_t victims() const { return victims_; }

 private:
  void check(std::size_t node, const sched::TaskPreempted& stopped) const;
  void check_rules(const sched::RunningTask& victim, const sched::RunningTask& waits) const;

  World& world_;
  const sched::WorkerParams& params_;
  std::uint64_t victims_ = 0;
};

}  // namespace dunlin::test
