// SPDX-License-Identifier: MIT
#include "sim/engine/cluster.h"

#include <algorithm>
#include <ns3/simulator.h>
#include <type_traits>
#include <utility>

#include "overlay/ensure.h"
#include "overlay/prefetch.h"
#include "sched/cell/cell_node.h"
#include "sched/constraints.h"
#include "sim/engine/addresses.h"
#include "sim/engine/clock.h"
#include "sim/transport/context.h"
#include "sim/transport/fabric.h"
#include "sim/transport/udp.h"

namespace dunlin::sim {
namespace {

constexpr std::uint32_t kFirstLife = 1;

std::unique_ptr<Transport> make_transport(
    Receiver& receiver, const Cluster::Options& options, const Faults& faults) {
  const std::uint64_t seed = Rng{options.seed + 1}();
  if (options.network.transport == TransportKind::udp) {
    return std::make_unique<UdpTransport>(receiver, options.network, faults, seed);
  }
  const Delay delay = options.delay ? options.delay : LatencyModel(options.network, options.seed);
  Medium medium(options.network, delay, seed, faults);
  if (options.network.transport == TransportKind::fabric) {
    return std::make_unique<FabricTransport>(receiver, std::move(medium), options.network.pcap);
  }
  return std::make_unique<ContextTransport>(receiver, std::move(medium), options.network.codec);
}

}  // namespace

Cluster::Cluster(const Options& options, Recorder& recorder, Trace* trace)
    : params_(options.params),
      recorder_(recorder),
      trace_(trace),
      faults_(options.faults, Rng{options.seed + 2}()),
      transport_(make_transport(*this, options, faults_)),
      timer_(ns3::Create<Timer>(*this)),
      keeps_disks_(options.disks),
      per_peer_(options.per_peer),
      cells_(options.cells),
      cell_cpu_(options.cells && options.cell_cpu) {
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
    const Machine& machine, std::span<const Endpoint> contacts, Rng rng, Time birth) {
  const std::uint32_t index = size();
  members_.push_back({.alarm = {},
      .peer = sched::Peer(params_, make_of(machine), endpoint_of(index), kFirstLife, contacts),
      .rng = rng,
      .running = {}});
  if (per_peer_) sent_.push_back(0);
  if (cells_) cell_loads_.emplace_back();
  transport_->add();
  now_ = now();
  arm(index, birth);
  return index;
}

const overlay::Shared<sched::NodeSpec>& Cluster::make_of(const Machine& machine) {
  const std::string key = make_key(machine);
  if (const auto known = makes_.find(key); known != makes_.end()) return known->second;
  sched::NodeSpec spec;
  spec.name = "simulated";
  spec.total = machine.total;
  spec.attributes = machine.attributes;
  return makes_.emplace(key, spec).first->second;
}

void Cluster::reserve(std::uint32_t peers) {
  members_.reserve(peers);
}

overlay::Neighbour Cluster::introduce(std::uint32_t peer, Time birth) const {
  return {.peer = members_[peer].peer.overlay().self(), .born = birth};
}

void Cluster::seed(std::uint32_t peer, std::span<const overlay::Neighbour> known) {
  members_[peer].peer.seed(known);
}

void Cluster::ready() {
  transport_->ready();
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
          .executor = *this,
          .cells = *this,
          .books = *this});
  arm(index, member.peer.deadline());
}

template <typename Call>
void Cluster::timed_turn(std::uint32_t index, bool cells, Call&& call) {
  if (!cell_cpu_ || !cells) return turn(index, std::forward<Call>(call));
  const std::uint64_t began = thread_cpu_ns();
  turn(index, std::forward<Call>(call));
  cell_loads_[index].cpu_ns += thread_cpu_ns() - began;
}

// A deadline that moved away leaves the timer alone: it fires in vain and looks again. Most
// deadlines do move away. One that came nearer gets a second timer, and the first counts no more.
void Cluster::arm(std::uint32_t index, Time deadline) {
  Alarm& alarm = members_[index].alarm;
  alarm.deadline = std::max(deadline, now_);
  if (alarm.due > alarm.deadline) set_timer(index, alarm.deadline);
}

void Cluster::set_timer(std::uint32_t index, Time due) {
  members_[index].alarm.due = due;
  if (due == overlay::kNever) return;
  timer_->Ref();  // The queue's, which lets go of it when it has fired.
  ns3::Simulator::ScheduleWithContext(index, to_ns3(due - now_), ns3::PeekPointer(timer_));
}

void Cluster::Timer::Notify() {
  cluster_.on_timer(ns3::Simulator::GetContext());
}

void Cluster::on_timer(std::uint32_t index) {
  now_ = now();
  const Alarm& alarm = members_[index].alarm;
  if (alarm.due != now_) return;
  members_[index].alarm.due = overlay::kNever;
  if (alarm.deadline > now_) return set_timer(index, alarm.deadline);
  // What else is due at the same moment counts with them: it is seldom, and little.
  const sched::CellNode* cells = cell_cpu_ ? members_[index].peer.cells() : nullptr;
  timed_turn(index, cells != nullptr && cells->deadline() <= now_,
      [](sched::Peer& peer, const sched::Host& host) { peer.wake(host); });
  ensure(alarm.deadline > now_, "a deadline that waking does not move");
}

void Cluster::soon(std::uint32_t index) {
  if (index >= size()) return;  // An event of no peer.
  overlay::prefetch(&members_[index], sizeof(Member));
}

void Cluster::next(std::uint32_t index, std::uint64_t when) {
  if (index >= size()) return;
  // If it is a timer's that fires in vain, and not a message's, no more is needed. Never mind
  // which.
  const Alarm& alarm = members_[index].alarm;
  const auto ahead = [&](Time time) {
    return static_cast<std::uint64_t>(time.time_since_epoch().count()) > when;
  };
  if (ahead(alarm.deadline) && !ahead(alarm.due)) return;
  transport_->soon(index);
  members_[index].peer.prefetch();
}

template <typename Message>
void Cluster::deliver(std::uint32_t to, std::uint32_t from, const Message& message) {
  if (!up(to)) return;
  if (trace_ != nullptr) trace_->arrival(now(), from, to, kind_of(message));
  timed_turn(to, std::is_same_v<Message, sched::cell::Message>,
      [&](sched::Peer& peer, const sched::Host& host) {
        peer.receive(host, endpoint_of(from), message);
      });
}

void Cluster::receive(std::uint32_t to, std::uint32_t from, const overlay::Message& message) {
  deliver(to, from, message);
}

void Cluster::receive(std::uint32_t to, std::uint32_t from, const sched::Message& message) {
  deliver(to, from, message);
}

void Cluster::receive(std::uint32_t to, std::uint32_t from, const sched::cell::Message& message) {
  if (cells_ && up(to)) cell_loads_[to].count(message);
  deliver(to, from, message);
}

void Cluster::crash(std::uint32_t index) {
  if (!up(index)) return;
  down_.resize(size());
  down_[index] = true;
  Member& member = members_[index];
  for (const Attempt& attempt : member.running) {
    recorder_.on_work(attempt.begin, now(), attempt.cpu);
    recorder_.on_cease(now(), attempt.class_id, attempt.cpu);
  }
  member.running.erase_if([](const Attempt&) { return true; });
  members_[index].alarm = {};
}

void Cluster::restart(std::uint32_t index, std::span<const Endpoint> contacts) {
  if (up(index)) return;
  down_[index] = false;
  sched::Peer& peer = members_[index].peer;
  const sched::NodeSpec before = peer.self();
  peer = sched::Peer(params_, make_of({before.total, before.attributes}), before.endpoint,
      before.incarnation + 1, contacts);
  now_ = now();
  arm(index, peer.deadline());
  const auto disk = disks_.find(index);
  if (disk == disks_.end()) return;
  turn(index, [&](sched::Peer& again, const sched::Host& host) {
    const auto restored = again.restore_books(host, disk->second.contents());
    ensure(restored.has_value(), "books that a simulated disk spoiled");
  });
}

void Cluster::set_classes(std::uint32_t index, const sched::books::Classes& classes) {
  turn(index, [&](sched::Peer& peer, const sched::Host& host) {
    const auto set = peer.set_classes(host, classes);
    ensure(set.has_value(), "a class table that a scenario should not have had");
  });
}

bool Cluster::submit(std::uint32_t index, sched::Job job, const JobFacts& facts) {
  if (!up(index)) {
    recorder_.on_refusal("its frontend is down");
    return false;
  }
  bool accepted = false;
  const std::uint32_t tasks = job.task_count();
  turn(index, [&](sched::Peer& peer, const sched::Host& host) {
    const auto id = peer.submit(host, std::move(job));
    accepted = id.has_value();
    if (accepted) {
      recorder_.on_submit(host.now, *id, tasks, facts);
    } else {
      recorder_.on_refusal(id.error().text);
    }
  });
  return accepted;
}

// Attempts that end together belong in one call; the events of the others then find nothing left.
void Cluster::reap(std::uint32_t index) {
  auto& running = members_[index].running;
  const Time at = now();
  std::vector<sched::Exit> exits;
  for (const Attempt& attempt : running) {
    if (attempt.end > at) continue;
    sched::Exit& exit = exits.emplace_back();
    exit.job = attempt.task.job;
    exit.report.index = attempt.task.index;
    exit.report.attempt = attempt.attempt;
    exit.report.outcome = attempt.outcome;
    exit.report.status = attempt.outcome == sched::Outcome::exited ? 0 : 15;  // SIGTERM
    exit.report.wall = exit.report.cpu = attempt.end - attempt.begin;
    recorder_.on_work(attempt.begin, attempt.end, attempt.cpu);
    recorder_.on_cease(at, attempt.class_id, attempt.cpu);
    recorder_.on_end(attempt.end, attempt.task.job);
  }
  if (exits.empty()) return;
  running.erase_if([&](const Attempt& attempt) { return attempt.end <= at; });
  turn(index, [&](sched::Peer& peer, const sched::Host& host) { peer.on_exits(host, exits); });
}

}  // namespace dunlin::sim
