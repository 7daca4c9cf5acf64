// SPDX-License-Identifier: MIT
#include "tests/swarm/preempt_watch.h"

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "sched/plan/slot_width.h"
#include "sched/resources.h"
#include "sched/worker/share/class_balance.h"
#include "sched/worker/share/class_shares.h"
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
      give(comes, held_by(running));
      ++places;
    }
  }
  return fits(promised, comes) && places_promised <= places;
}

}  // namespace

void PreemptWatch::on_event(std::size_t node, const sched::Event& event) {
  if (const auto* stopped = std::get_if<sched::TaskPreempted>(&event)) {
    const Yields yields{stopped->job, stopped->index, stopped->attempt, stopped->by};
    const RunningTask* const victim = find(node, yields);
    if (victim != nullptr && victim->suspended) {
      // Else it is its user's word.
      if (stopped->by.number != 0 && !has_stood(*victim)) {
        world_.fail("a task that stands still is stopped before worker.suspend_max");
      }
      return;
    }
    if (stopped->by.number == 0) return;
    ++victims_;
    check(node, yields);
  } else if (const auto* suspended = std::get_if<sched::TaskSuspended>(&event)) {
    ++victims_;
    check(node, {suspended->job, suspended->index, suspended->attempt, suspended->by});
  }
}

std::uint64_t PreemptWatch::conclude() const {
  for (std::size_t node = 0; node < world_.size(); ++node) {
    if (!world_.up(node) || world_.peer(node).worker() == nullptr) continue;
    for (const RunningTask& running : world_.peer(node).worker()->running()) {
      if (running.suspended) world_.fail("a task stands still for ever");
    }
  }
  return victims_;
}

bool PreemptWatch::has_stood(const RunningTask& victim) const {
  return world_.now() - *victim.suspended >= params_.suspend_max;
}

const RunningTask* PreemptWatch::find(std::size_t node, const Yields& yields) const {
  const std::vector<RunningTask>& all = world_.peer(node).worker()->running();
  const auto victim = std::ranges::find_if(all, [&](const RunningTask& running) {
    return running.task.job == yields.job && running.task.index == yields.index &&
        running.attempt == yields.attempt;
  });
  return victim == all.end() ? nullptr : &*victim;
}

void PreemptWatch::check(std::size_t node, const Yields& yields) const {
  const sched::Worker& worker = *world_.peer(node).worker();
  const RunningTask* const victim = find(node, yields);
  // Groups of a job have priorities of their own, and the event does not say for which one it was.
  const RunningTask* waits = nullptr;
  for (const RunningTask& running : worker.running()) {
    if (!running.waits || running.borrows || running.task.job != yields.by) continue;
    if (waits == nullptr || running.yield.priority > waits->yield.priority) waits = &running;
  }
  if (victim == nullptr) return world_.fail("a task is stopped that does not run");
  if (waits == nullptr) return world_.fail("a task is stopped for nothing");
  if (is_enough(worker)) world_.fail("a task more is stopped than need be");
  check_rules(node, *victim, *waits);
}

void PreemptWatch::check_rules(
    std::size_t node, const RunningTask& victim, const RunningTask& waits) const {
  const int priority = waits.yield.priority;
  if (params_.preempt == sched::PreemptMode::plan) {
    check_plan(node, victim, waits);
  } else if (params_.preempt == sched::PreemptMode::share) {
    check_share(node, victim, waits);
  } else {
    const bool may = params_.preempt == sched::PreemptMode::priority ||
        (params_.preempt == sched::PreemptMode::emergency &&
            (waits.urgent || priority >= params_.emergency_priority));
    if (!may) world_.fail("a task is stopped against worker.preempt");
    if (priority - victim.yield.priority < params_.preempt_delta) {
      world_.fail("a task is stopped against worker.preempt_delta");
    }
  }
  if (world_.now() - victim.went_on < params_.preempt_exempt) {
    world_.fail("a task is stopped against worker.preempt_exempt");
  }
  if (victim.yield.preemptions >= params_.preempt_max) {
    world_.fail("a task is stopped against worker.preempt_max");
  }
  if (victim.yield.on_preempt == sched::OnPreempt::never) {
    world_.fail("a task is stopped that its user protects");
  }
  if (victim.killed || victim.waits || victim.suspended) {
    world_.fail("a task is stopped that ends anyway");
  }
}

void PreemptWatch::check_plan(
    std::size_t node, const RunningTask& victim, const RunningTask& waits) const {
  const sched::Worker& worker = *world_.peer(node).worker();
  const auto held = [&](const sched::JobId& job) {
    std::uint32_t slots = 0;
    for (const RunningTask& running : worker.running()) {
      const bool counts = running.task.job == job && !running.killed && !running.suspended;
      if (counts) slots += sched::slots_taken(running.demand);
    }
    return slots;
  };
  const sched::JobId& job = victim.task.job;
  const std::uint32_t own = worker.planned().allotted(job);
  if (held(job) < own + sched::slots_taken(victim.demand)) {
    world_.fail("a task is stopped within the slots of its job");
  }
  if (held(waits.task.job) > worker.planned().allotted(waits.task.job)) {
    world_.fail("a task is stopped for one beyond the slots of its job");
  }
}

void PreemptWatch::check_share(
    std::size_t node, const RunningTask& victim, const RunningTask& waits) const {
  const sched::Worker& worker = *world_.peer(node).worker();
  const sched::ClassShares* const shares = worker.shares();
  if (shares == nullptr || !shares->enforced()) {
    return world_.fail("a task is stopped for a class, and none has tickets");
  }
  if (waits.by_master) {
    // The cell counts, not the node: MastersChance looks at what its local master knows.
    if (shares->class_of(victim.class_id) == shares->class_of(waits.class_id)) {
      world_.fail("a task is stopped for another one of its class");
    }
    return;
  }
  sched::ClassBalance balance(*shares);
  const auto part = [&](const RunningTask& running) {
    const bool stands = running.suspended && !running.waits;
    return worker.slots().part(stands ? running.stands : running.demand);
  };
  for (const RunningTask& running : worker.running()) {
    if (!running.killed && &running != &waits) {
      balance.hold(shares->class_of(running.class_id), part(running));
    }
  }
  for (const sched::PendingRequest& asking : worker.asking()) {
    const sched::Reserve& reserve = asking.reservation.reserve;
    for (std::uint16_t task = 0; task < asking.room; ++task) {
      balance.hold(shares->class_of(reserve.class_id), worker.slots().part(reserve.demand));
    }
  }
  if (!balance.spares(shares->class_of(victim.class_id), part(victim))) {
    world_.fail("a task is stopped within the share of its class");
  }
  if (!balance.lacks(shares->class_of(waits.class_id), part(waits))) {
    world_.fail("a task is stopped for a class that has its share");
  }
}

}  // namespace dunlin::test
