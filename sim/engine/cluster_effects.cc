// SPDX-License-Identifier: MIT
#include <ns3/simulator.h>

#include "sim/engine/cluster.h"
#include "sim/workload/workload.h"

// What a cluster lends to the peer that acts: messages leave, events are told, tasks run.
namespace dunlin::sim {
namespace {

/// How long a task lives on that is asked to end.
constexpr Duration kDying = std::chrono::milliseconds(10);

}  // namespace

void Cluster::send(const Endpoint& to, const overlay::Message& message) {
  if (per_peer_) ++sent_[acting_];
  transport_->send(acting_, index_of(to), message);
}

void Cluster::send(const Endpoint& to, const sched::Message& message) {
  if (per_peer_) ++sent_[acting_];
  transport_->send(acting_, index_of(to), message);
}

void Cluster::send(const Endpoint& to, const sched::cell::Message& message) {
  if (cells_) cell_loads_[acting_].count(message);
  if (per_peer_) ++sent_[acting_];
  transport_->send(acting_, index_of(to), message);
}

void Cluster::on(const overlay::Event& event) {
  if (trace_ != nullptr) trace_->event(now_, acting_, event);
}

void Cluster::on(const sched::Event& event) {
  recorder_.on(now_, event);
  if (trace_ != nullptr) trace_->event(now_, acting_, event);
}

void Cluster::start(const sched::Launch& launch) {
  const Attempt& attempt = members_[acting_].running.push_back({.task = launch.task,
      .attempt = launch.attempt,
      .cpu = launch.demand.cpu,
      .class_id = recorder_.on_begin(now_, launch.task.job, launch.demand.cpu),
      .begin = now_,
      .end = now_ + duration_of(launch)});
  end_at(attempt.end);
}

void Cluster::kill(const sched::TaskId& task, std::uint16_t attempt, sched::Outcome outcome) {
  for (Attempt& each : members_[acting_].running) {
    if (each.task != task || each.attempt != attempt || each.end <= now_ + kDying) continue;
    each.end = now_ + kDying;
    each.outcome = outcome;
    end_at(each.end);
  }
}

void Cluster::end_at(Time when) {
  ns3::Simulator::Schedule(to_ns3(when - now_), &Cluster::reap, this, acting_);
}

void Cluster::settle() {
  transport_->settle();
  for (const Member& member : members_) {
    for (const Attempt& attempt : member.running) {
      recorder_.on_work(attempt.begin, now(), attempt.cpu);
    }
  }
}

}  // namespace dunlin::sim
