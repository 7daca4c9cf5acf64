// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "sched/message.h"
#include "sched/observer.h"
#include "sched/worker/params.h"
#include "sched/worker/running_tasks.h"
#include "tests/support/world.h"

namespace dunlin::test {

/// Tasks that workers of a swarm stop or suspend for others, and what must hold of each, by what
/// its worker has at that moment: one waits for it that may have its room, it is not protected, and
/// what has been stopped already is not enough. A task that stands still goes on, or runs again
/// when it has stood for too long, or ends.
class PreemptWatch {
 public:
  PreemptWatch(World& world, const sched::WorkerParams& params) : world_(world), params_(params) {}

  void on_event(std::size_t node, const sched::Event& event);
  /// Workers may stop tasks, so nodes should be full.
  bool expects() const { return params_.preempt != sched::PreemptMode::off; }
  /// Call it at the end, when nothing may stand still any more. Returns how many yielded to others.
  std::uint64_t conclude() const;

 private:
  /// A task yields to a job at that node.
  struct Yields {
    sched::JobId job;
    std::uint32_t index;
    sched::AttemptNumber attempt;
    sched::JobId by;
  };
  void check(std::size_t node, const Yields& yields) const;
  void check_rules(
      std::size_t node, const sched::RunningTask& victim, const sched::RunningTask& waits) const;
  void check_plan(
      std::size_t node, const sched::RunningTask& victim, const sched::RunningTask& waits) const;
  void check_share(
      std::size_t node, const sched::RunningTask& victim, const sched::RunningTask& waits) const;
  /// True if it stood still for so long that it is to run again.
  bool has_stood(const sched::RunningTask& victim) const;
  const sched::RunningTask* find(std::size_t node, const Yields& yields) const;

  World& world_;
  const sched::WorkerParams& params_;
  std::uint64_t victims_ = 0;
};

}  // namespace dunlin::test
