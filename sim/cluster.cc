// SPDX-License-Identifier: MIT
#include "sim/cluster.h"

#include <algorithm>
#include <ns3/nstime.h>
#include <ns3/simulator.h>
#include <string>
#include <utility>

#include "overlay/ensure.h"
#include "sim/transport/context.h"
#include "sim/workload/workload.h"

namespace dunlin::sim {
namespace {

constexpr std::uint32_t kFirstAddress = 0x0a000001;  // 10.0.0.1
constexpr std::uint16_t kPort = 7700;
/// How long a task lives on that is asked to end.
constexpr Duration kDying = std::chrono::milliseconds(10);

ns3::Time after(Duration duration) {
  return ns3::TimeStep(static_cast<std::uint64_t>(duration.count()));
}

}  // namespace

Time now() {
  return Time{Duration{ns3::Simulator::Now().GetTimeStep()}};
}

Cluster::Cluster(const Options& options, Recorder& recorder, Trace* trace)
    : options_(options),
      recorder_(recorder),
      trace_(trace),
      transport_(std::make_unique<ContextTransport>(
          static_cast<Receiver&>(*this), options.delay, options.codec)) {
  ensure(ns3::Time::GetResolution() == ns3::Time::NS, "time steps are nanoseconds");
}

Endpoint Cluster::endpoint_of(std::uint32_t peer) {
  return {.id = {peer + 1}, .address = overlay::Address::v4(kFirstAddress + peer, kPort)};
}

std::uint32_t Cluster::index_of(const Endpoint& endpoint) const {
  const auto index = static_cast<std::uint32_t>(endpoint.address.low) - kFirstAddress;
  ensure(endpoint.address.is_v4() && index < size(), "a message to an address that nobody has");
  return index;
}

std::uint32_t Cluster::add(
    const sched::Resources& total, std::span<const Endpoint> contacts, Rng rng, Time birth) {
  const std::uint32_t index = size();
  sched::NodeSpec spec;
  spec.endpoint = endpoint_of(index);
  spec.name = "node" + std::to_string(index + 1);
  spec.total = total;
  members_.push_back({.peer = sched::Peer(options_.params, spec, contacts),
      .rng = rng,
      .timer = {},
      .running = {}});
  ns3::Simulator::ScheduleWithContext(
      index, after(birth - now()), [this, index] { wake_if_due(index); });
  return index;
}

template <typename Call>
void Cluster::turn(std::uint32_t index, Call&& call) {
  Member& member = members_[index];
  acting_ = index;
  now_ = now();
  call(member.peer,
      sched::Host{.now = now_,
          .rng = member.rng,
          .gossip = *this,
          .out = *this,
          .events = *this,
          .store = *this,
          .executor = *this});
  arm(member, index);
}

// A deadline that moved away leaves the timer alone: it fires in vain and looks again. Most
// deadlines do move away, so this keeps the event queue short.
void Cluster::arm(Member& member, std::uint32_t index) {
  const Time deadline = std::max(member.peer.deadline(), now_);
  if (member.due <= deadline) return;
  if (member.due != overlay::kNever) member.timer.Cancel();
  member.due = deadline;
  member.timer = ns3::Simulator::Schedule(after(deadline - now_), &Cluster::on_timer, this, index);
}

void Cluster::on_timer(std::uint32_t index) {
  members_[index].due = overlay::kNever;
  wake_if_due(index);
}

void Cluster::wake_if_due(std::uint32_t index) {
  Member& member = members_[index];
  now_ = now();
  if (member.peer.deadline() > now_) return arm(member, index);
  turn(index, [](sched::Peer& peer, const sched::Host& host) { peer.wake(host); });
  ensure(member.peer.deadline() > now_, "a deadline that waking does not move");
}

template <typename Message>
void Cluster::deliver(std::uint32_t to, std::uint32_t from, const Message& message) {
  if (trace_ != nullptr) trace_->arrival(now(), from, to, kind_of(message));
  turn(to, [&](sched::Peer& peer, const sched::Host& host) {
    peer.receive(host, endpoint_of(from), message);
  });
}

void Cluster::receive(std::uint32_t to, std::uint32_t from, const overlay::Message& message) {
  deliver(to, from, message);
}

void Cluster::receive(std::uint32_t to, std::uint32_t from, const sched::Message& message) {
  deliver(to, from, message);
}

void Cluster::submit(std::uint32_t index, sched::Job job, const JobFacts& facts) {
  const std::uint32_t tasks = job.task_count();
  turn(index, [&](sched::Peer& peer, const sched::Host& host) {
    const auto id = peer.submit(host, std::move(job));
    if (id)
      recorder_.on_submit(host.now, *id, tasks, facts);
    else
      recorder_.on_refusal(id.error().text);
  });
}

void Cluster::send(const Endpoint& to, const overlay::Message& message) {
  transport_->send(acting_, index_of(to), message);
}

void Cluster::send(const Endpoint& to, const sched::Message& message) {
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
  members_[acting_].running.push_back({.task = launch.task,
      .attempt = launch.attempt,
      .cpu = launch.demand.cpu,
      .begin = now_,
      .end = now_ + duration_of(launch)});
  end_at(members_[acting_].running.back().end);
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
  ns3::Simulator::Schedule(after(when - now_), &Cluster::reap, this, acting_);
}

// Attempts that end together belong in one call; the events of the others then find nothing left.
void Cluster::reap(std::uint32_t index) {
  auto& running = members_[index].running;
  const Time at = now();
  const auto ended = std::ranges::stable_partition(
      running, [&](const Attempt& attempt) { return attempt.end > at; });
  if (ended.empty()) return;
  std::vector<sched::Exit> exits;
  for (const Attempt& attempt : ended) {
    sched::Exit& exit = exits.emplace_back();
    exit.job = attempt.task.job;
    exit.report.index = attempt.task.index;
    exit.report.attempt = attempt.attempt;
    exit.report.outcome = attempt.outcome;
    exit.report.status = attempt.outcome == sched::Outcome::exited ? 0 : 15;  // SIGTERM
    exit.report.wall = exit.report.cpu = attempt.end - attempt.begin;
    recorder_.on_work(attempt.begin, attempt.end, attempt.cpu);
    recorder_.on_end(attempt.end, attempt.task.job);
  }
  running.erase(ended.begin(), ended.end());
  turn(index, [&](sched::Peer& peer, const sched::Host& host) { peer.on_exits(host, exits); });
}

void Cluster::settle() {
  for (const Member& member : members_) {
    for (const Attempt& attempt : member.running) {
      recorder_.on_work(attempt.begin, now(), attempt.cpu);
    }
  }
}

}  // namespace dunlin::sim
