// SPDX-License-Identifier: MIT
#include "sim/engine/task_runner.h"

#include <ns3/simulator.h>
#include <utility>
#include <vector>

#include "overlay/ensure.h"
#include "sim/clock.h"
#include "sim/workload/task_bytes.h"
#include "sim/workload/workload.h"

// Tasks of simulated nodes are ends in the calendar: nothing runs between. Where resources are
// contended the end is not known at the start, since each start and end on a machine changes the
// speed of all others there: then the fluid machine is asked. An event of an end may find nothing
// (the task was killed, or stands still), so what has ended is always looked up anew.
namespace dunlin::sim {
namespace {

/// A task that is asked to end lives on for this long.
constexpr Duration kDying = std::chrono::milliseconds(10);
/// The status of a task that SIGTERM ended.
constexpr std::int32_t kTerminated = 15;

/// What stands still does not work.
Time worked_until(const Attempt& attempt) {
  return attempt.suspended == overlay::kNever ? now() : attempt.suspended;
}

}  // namespace

TaskRunner::TaskRunner(Members& members, Recorder& recorder, Ended ended)
    : members_(members),
      recorder_(recorder),
      ended_(std::move(ended)) {}

void TaskRunner::contend(const ClusterParams& params, ResourceMeter& meter) {
  fluid_ =
      std::make_unique<FluidCluster>(params, meter, [this](std::uint32_t peer) { reap(peer); });
}

void TaskRunner::add(std::uint32_t peer, const Machine& machine) {
  if (fluid_ != nullptr) fluid_->add(machine);
  if (machine.speed == 1) return;  // As all have, in most clusters.
  if (speeds_.size() <= peer) speeds_.resize(peer + 1, 1);
  speeds_[peer] = machine.speed;
}

void TaskRunner::ready() {
  if (fluid_ != nullptr) fluid_->ready();
}

void TaskRunner::look_up_ends(std::uint32_t peer) {
  if (fluid_ == nullptr) return;
  for (Attempt& each : members_[peer].running) {
    // An attempt that is being killed ends when that says, and one that stands still not at all:
    // the machine is not asked about them.
    const bool goes_on =
        each.outcome == sched::Outcome::exited && each.suspended == overlay::kNever;
    if (goes_on) each.end = fluid_->end_of(peer, each.number);
  }
}

sched::Measured TaskRunner::measure(std::uint32_t peer) const {
  sched::Measured measured;
  Usage all = fluid_->background(peer);
  for (const Attempt& each : members_[peer].running) {
    const Usage use = fluid_->use_of(peer, each.number);
    for (std::size_t i = 0; i < kResourceKinds; ++i) all[i] += use[i];
    measured.tasks.push_back({.task = each.task,
        .attempt = each.attempt,
        .use = resources_of(use),
        .has_disk = true,
        .has_net = true});
  }
  measured.node = resources_of(all);
  return measured;
}

void TaskRunner::start(const sched::Launch& launch) {
  const Time now = members_.now;
  const std::uint32_t peer = members_.acting;
  const double speed = peer < speeds_.size() ? speeds_[peer] : 1;
  // Without contention the end is known now, and nothing but a signal moves it.
  Attempt& attempt = members_[members_.acting].running.push_back({.task = launch.task,
      .attempt = launch.attempt,
      .cpu = launch.demand.cpu,
      .class_id = recorder_.on_begin(now, launch.task.job, launch.demand.cpu, launch.input),
      .begin = now,
      .end = now + at_speed(duration_of(launch), speed)});
  if (fluid_ == nullptr) return end_at(attempt.end);
  const sched::Resources use = use_of(launch);
  attempt.number = fluid_->start(peer, usage_of(launch.demand), usage_of(use), duration_of(launch));
  // A remote input takes disk and network at the node that lends it, too.
  if (launch.lender == sched::PeerId{}) return;
  attempt.lender = static_cast<std::uint32_t>(launch.lender.value) - 1;
  attempt.lent = fluid_->lend(attempt.lender, usage_of(use_at_source(use)));
}

void TaskRunner::stop_contending(std::uint32_t peer, const Attempt& attempt) const {
  if (fluid_ == nullptr) return;
  fluid_->end(peer, attempt.number);
  if (attempt.lent != 0) fluid_->give_back(attempt.lender, attempt.lent);
}

void TaskRunner::kill(const sched::TaskId& task, std::uint32_t attempt, sched::Outcome outcome) {
  const Time dead = members_.now + kDying;
  look_up_ends(members_.acting);
  for (Attempt& each : members_[members_.acting].running) {
    // It ends by itself before a signal could end it.
    if (each.task != task || each.attempt != attempt || each.end <= dead) continue;
    // What stands still must go on to hear that it shall end.
    if (each.suspended != overlay::kNever) wake(each);
    each.end = dead;
    each.outcome = outcome;
    end_at(each.end);
  }
}

void TaskRunner::suspend(const sched::TaskId& task, std::uint32_t attempt) {
  look_up_ends(members_.acting);
  for (Attempt& each : members_[members_.acting].running) {
    const bool is_it = each.task == task && each.attempt == attempt;
    if (!is_it || each.end <= members_.now || each.suspended != overlay::kNever) continue;
    each.suspended = members_.now;
    each.left =
        fluid_ != nullptr ? fluid_->suspend(members_.acting, each.number) : each.end - members_.now;
    each.end = overlay::kNever;
  }
}

void TaskRunner::resume(const sched::TaskId& task, std::uint32_t attempt) {
  for (Attempt& each : members_[members_.acting].running) {
    const bool is_it = each.task == task && each.attempt == attempt;
    if (!is_it || each.suspended == overlay::kNever) continue;
    wake(each);
    if (fluid_ == nullptr) end_at(each.end);
  }
}

void TaskRunner::wake(Attempt& attempt) {
  // Moved by the time that it stood still, so that end less begin is what it ran.
  attempt.begin += members_.now - attempt.suspended;
  recorder_.attempts().stood_still(members_.now - attempt.suspended);
  attempt.end = members_.now + attempt.left;
  attempt.suspended = overlay::kNever;
  if (fluid_ != nullptr) fluid_->resume(members_.acting, attempt.number, attempt.left);
}

void TaskRunner::try_start() {
  overlay::ensure(false, "a simulated node that thinks it is sick");
}

void TaskRunner::end_at(Time when) {
  ns3::Simulator::Schedule(to_ns3(when - members_.now), &TaskRunner::reap, this, members_.acting);
}

// Attempts that end together belong in one call; the events of the others then find nothing left.
void TaskRunner::reap(std::uint32_t peer) {
  auto& running = members_[peer].running;
  const Time at = now();
  look_up_ends(peer);
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
    stop_contending(peer, attempt);
    if (attempt.outcome == sched::Outcome::preempted) {
      recorder_.plans().on_preemption(attempt.end - attempt.begin);
    }
    recorder_.on_end(
        attempt.end, attempt.task.job, peer, attempt.outcome == sched::Outcome::exited);
  }
  if (exits.empty()) return;
  running.erase_if([&](const Attempt& attempt) { return attempt.end <= at; });
  // After all of them left the list: the peer may start others in this very call.
  ended_(peer, exits);
}

void TaskRunner::crash(std::uint32_t peer) {
  auto& running = members_[peer].running;
  for (const Attempt& attempt : running) {
    account(peer, attempt, worked_until(attempt), now(), false);
    stop_contending(peer, attempt);
  }
  running.erase_if([](const Attempt&) { return true; });
}

void TaskRunner::account(
    std::uint32_t peer, const Attempt& attempt, Time end, Time ceased, bool by_itself) const {
  recorder_.on_work(peer, attempt.begin, end, attempt.cpu);
  recorder_.attempts().cease(end, by_itself);
  recorder_.classes().change(ceased, attempt.class_id, -static_cast<double>(attempt.cpu));
  recorder_.plans().on_cease(ceased, attempt.task.job, by_itself);
}

void TaskRunner::settle() const {
  for (std::uint32_t peer = 0; peer < members_.all.size(); ++peer) {
    for (const Attempt& attempt : members_[peer].running) {
      recorder_.on_work(peer, attempt.begin, worked_until(attempt), attempt.cpu);
      recorder_.attempts().leave(worked_until(attempt));
    }
  }
}

}  // namespace dunlin::sim
