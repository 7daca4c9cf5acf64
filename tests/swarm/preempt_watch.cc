// SPDX-License-Identifier: MIT
#include "tests/swarm/preempt_watch.h"

#include <algorithm>
#include <string>
#include <variant>

#include "sched/resources.h"
#include "sched/worker/worker.h"

namespace dunlin::test {
namespace {

using sched::Resources;
using sched::RunningTask;

/// True if all tasks that wait there for room will have it once those end that were told to.
bool is_enough(const sched::Worker& worker) {
  Resources promised;
  Resources comes = worker.slots().free();
  std::uint64_t places_promised = 0;
  std::uint64_t places = worker.slots().places();
  for (const RunningTask& running : worker.running()) {
    if (running.waits) {
      give(promised, running.demand);
      give(comes, running.holds);
      places_promised += running.has_place ? 0 : 1;
    } else if (running.killed) {
      give(comes, running.demand);
      ++places;
    }
  }
  return fits(promised, comes) && places_promised <= places;
}

}  // namespace

void PreemptWatch::on_event(std::size_t node, const sched::Event& event) {
  const auto* const stopped = std::get_if<sched::TaskPreempted>(&event);
  if (stopped == nullptr || stopped->by.number == 0) return;
  ++victims_;
  check(node, *stopped);
}

void PreemptWatch::check(std::size_t node, const sched::TaskPreempted& stopped) const {
  const sched::Worker& worker = *world_.peer(node).worker();
  const auto victim = std::ranges::find_if(worker.running(), [&](const RunningTask& running) {
    return running.task.job == stopped.job && running.task.index == stopped.index &&
        running.attempt == stopped.attempt;
  });
  // Groups of a job have priorities of their own, and the event does not say for which one it was.
  const RunningTask* waits = nullptr;
  for (const RunningTask& running : worker.running()) {
    if (!running.waits || running.task.job != stopped.by) continue;
    if (waits == nullptr || running.yield.priority > waits->yield.priority) waits = &running;
  }
  if (victim == worker.running().end()) return world_.fail("a task is stopped that does not run");
  if (waits == nullptr) return world_.fail("a task is stopped for nothing");
  if (is_enough(worker)) world_.fail("a task more is stopped than need be");
  check_rules(*victim, *waits);
}

void PreemptWatch::check_rules(const RunningTask& victim, const RunningTask& waits) const {
  const int priority = waits.yield.priority;
  const bool may = params_.preempt == sched::PreemptMode::priority ||
      (params_.preempt == sched::PreemptMode::emergency && priority >= params_.emergency_priority);
  if (!may) world_.fail("a task is stopped against worker.preempt");
  if (priority - victim.yield.priority < params_.preempt_delta) {
    world_.fail("a task is stopped against worker.preempt_delta");
  }
  if (world_.now() - victim.started < params_.preempt_exempt) {
    world_.fail("a task is stopped against worker.preempt_exempt");
  }
  if (victim.yield.preemptions >= params_.preempt_max) {
    world_.fail("a task is stopped against worker.preempt_max");
  }
  if (victim.yield.on_preempt == sched::OnPreempt::never) {
    world_.fail("a task is stopped that its user protects");
  }
  if (victim.killed || victim.waits) world_.fail("a task is stopped that ends anyway");
}

}  // namespace dunlin::test
