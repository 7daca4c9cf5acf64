// SPDX-License-Identifier: MIT
#include "sim/engine/task_runner.h"

#include <algorithm>
#include <ns3/simulator.h>
#include <utility>
#include <vector>

#include "overlay/ensure.h"
#include "sim/clock.h"
#include "sim/workload/task_bytes.h"
#include "sim/workload/workload.h"

namespace dunlin::sim {
namespace {

/// A task that is asked to end lives on for this long.
constexpr Duration kDying = std::chrono::milliseconds(10);
/// The status of a task that SIGTERM ended.
constexpr std::int32_t kTerminated = 15;

}  // namespace

TaskRunner::TaskRunner(Members& members, Recorder& recorder, Ended ended)
    : members_(members),
      recorder_(recorder),
      ended_(std::move(ended)) {}

void TaskRunner::set_speed(std::uint32_t peer, double speed) {
  if (speed == 1) return;  // As all have, in most clusters.
  if (speeds_.size() <= peer) speeds_.resize(peer + 1, 1);
  speeds_[peer] = speed;
}

void TaskRunner::add_machine(const Machine& machine, double loss) {
  fluid_.emplace_back(machine.total, machine.speed, loss);
}

void TaskRunner::set_background(std::uint32_t peer, double share) {
  fluid_[peer].set_background(now(), share);
  recorder_.resources().set_background(now(), peer, share);
  plan_ends(peer);
}

void TaskRunner::start(const sched::Launch& launch) {
  const Time now = members_.now;
  const std::uint32_t peer = members_.acting;
  const double speed = peer < speeds_.size() ? speeds_[peer] : 1;
  Attempt& attempt = members_[peer].running.push_back({.task = launch.task,
      .attempt = launch.attempt,
      .cpu = launch.demand.cpu,
      .class_id = recorder_.on_begin(now, launch.task.job, launch.demand.cpu),
      .begin = now,
      .end = now + at_speed(duration_of(launch), speed)});
  if (!contends()) return end_at(peer, attempt.end);
  const Usage use = usage_of(use_of(launch));
  attempt.number = recorder_.resources().begin(now, peer, usage_of(launch.demand), use);
  fluid_[peer].start(now, attempt.number, use, duration_of(launch));
  plan_ends(peer);
}

void TaskRunner::plan_ends(std::uint32_t peer) {
  const FluidMachine& machine = fluid_[peer];
  for (Attempt& each : members_[peer].running) {
    const bool goes_on =
        each.outcome == sched::Outcome::exited && each.suspended == overlay::kNever;
    if (goes_on) each.end = machine.end_of(each.number);
  }
  const Time next = machine.next_end();
  if (next != overlay::kNever) end_at(peer, std::max(next, now()));
}

void TaskRunner::leave(std::uint32_t peer, const Attempt& attempt, Time now) {
  if (!contends()) return;
  FluidMachine& machine = fluid_[peer];
  if (machine.end_of(attempt.number) != overlay::kNever) machine.stop(now, attempt.number);
  recorder_.resources().end(now, attempt.number);
}

void TaskRunner::kill(const sched::TaskId& task, std::uint32_t attempt, sched::Outcome outcome) {
  const Time dead = members_.now + kDying;
  for (Attempt& each : members_[members_.acting].running) {
    if (each.task != task || each.attempt != attempt || each.end <= dead) continue;
    if (each.suspended != overlay::kNever) wake(each);
    each.end = dead;
    each.outcome = outcome;
    end_at(members_.acting, each.end);
  }
}

void TaskRunner::suspend(const sched::TaskId& task, std::uint32_t attempt) {
  for (Attempt& each : members_[members_.acting].running) {
    const bool is_it = each.task == task && each.attempt == attempt;
    if (!is_it || each.end <= members_.now || each.suspended != overlay::kNever) continue;
    each.suspended = members_.now;
    each.left = contends() ? fluid_[members_.acting].stop(members_.now, each.number)
                           : each.end - members_.now;
    each.end = overlay::kNever;
    if (contends()) plan_ends(members_.acting);
  }
}

void TaskRunner::resume(const sched::TaskId& task, std::uint32_t attempt) {
  for (Attempt& each : members_[members_.acting].running) {
    const bool is_it = each.task == task && each.attempt == attempt;
    if (!is_it || each.suspended == overlay::kNever) continue;
    wake(each);
    end_at(members_.acting, each.end);
  }
}

void TaskRunner::wake(Attempt& attempt) {
  attempt.begin += members_.now - attempt.suspended;
  attempt.end = members_.now + attempt.left;
  attempt.suspended = overlay::kNever;
  if (!contends()) return;
  const Usage use = recorder_.resources().use_of(attempt.number);
  fluid_[members_.acting].start(members_.now, attempt.number, use, attempt.left);
  plan_ends(members_.acting);
}

void TaskRunner::try_start() {
  overlay::ensure(false, "a simulated node that thinks it is sick");
}

void TaskRunner::end_at(std::uint32_t peer, Time when) {
  ns3::Simulator::Schedule(to_ns3(when - now()), &TaskRunner::reap, this, peer);
}

// Attempts that end together belong in one call; the events of the others then find nothing left.
void TaskRunner::reap(std::uint32_t peer) {
  auto& running = members_[peer].running;
  const Time at = now();
  std::vector<sched::Exit> exits;
  for (const Attempt& attempt : running) {
    if (attempt.end > at) continue;
    sched::Exit& exit = exits.emplace_back();
    exit.job = attempt.task.job;
    exit.report.index = attempt.task.index;
    exit.report.attempt = attempt.attempt;
    exit.report.outcome = attempt.outcome;
    exit.report.status = attempt.outcome == sched::Outcome::exited ? 0 : kTerminated;
    exit.report.wall = exit.report.cpu = attempt.end - attempt.begin;
    account(peer, attempt, attempt.end, at, attempt.outcome == sched::Outcome::exited);
    leave(peer, attempt, at);
    if (attempt.outcome == sched::Outcome::preempted) {
      recorder_.plans().on_preemption(attempt.end - attempt.begin);
    }
    recorder_.on_end(
        attempt.end, attempt.task.job, peer, attempt.outcome == sched::Outcome::exited);
  }
  if (exits.empty()) return;
  running.erase_if([&](const Attempt& attempt) { return attempt.end <= at; });
  if (contends()) plan_ends(peer);
  ended_(peer, exits);
}

void TaskRunner::crash(std::uint32_t peer) {
  auto& running = members_[peer].running;
  for (const Attempt& attempt : running) {
    account(peer, attempt, now(), now(), false);
    leave(peer, attempt, now());
  }
  running.erase_if([](const Attempt&) { return true; });
}

void TaskRunner::account(
    std::uint32_t peer, const Attempt& attempt, Time end, Time ceased, bool by_itself) const {
  recorder_.on_work(peer, attempt.begin, end, attempt.cpu);
  recorder_.classes().change(ceased, attempt.class_id, -static_cast<double>(attempt.cpu));
  recorder_.plans().on_cease(ceased, attempt.task.job, by_itself);
}

void TaskRunner::settle() const {
  for (std::uint32_t peer = 0; peer < members_.all.size(); ++peer) {
    for (const Attempt& attempt : members_[peer].running) {
      recorder_.on_work(peer, attempt.begin, now(), attempt.cpu);
    }
  }
}

}  // namespace dunlin::sim
