// SPDX-License-Identifier: MIT
#include "sim/engine/simulation.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <ns3/callback.h>
#include <ns3/nstime.h>
#include <ns3/object-factory.h>
#include <ns3/simulator.h>
#include <sys/resource.h>
#include <vector>

#include "overlay/ensure.h"
#include "sim/engine/calendar.h"
#include "sim/engine/clock.h"
#include "sim/scenario/machines.h"
#include "sim/workload/class_workload.h"

namespace dunlin::sim {
namespace {

/// How often, in simulated time, it is seen whether all is done: so often during a run, ...
constexpr int kTicks = 600;
constexpr Duration kTickMin = std::chrono::milliseconds(100);  // ... but not more often.
/// Users of a peer that is back submit again after so long.
constexpr Duration kComeBack = std::chrono::seconds(1);
/// In larger clusters, messages are not counted by peer: it takes time and memory for each.
constexpr std::uint32_t kPeersCounted = 20'000;
constexpr double kProgressPeriod = 0.1;  // Seconds of wall time.

double wall_seconds() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

std::uint64_t peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

// Several times as fast as ns3::MapScheduler, the default, and the order of events is the same.
void set_calendar(Cluster& cluster) {
  ns3::ObjectFactory factory;
  factory.SetTypeId(Calendar::GetTypeId());
  factory.Set("Soon", ns3::CallbackValue(ns3::MakeCallback(&Cluster::soon, &cluster)));
  factory.Set("Next", ns3::CallbackValue(ns3::MakeCallback(&Cluster::next, &cluster)));
  ns3::Simulator::SetScheduler(factory);
}

std::uint64_t cpu_of(const Fleet& machines) {
  std::uint64_t sum = 0;
  for (const Machine& machine : machines.all()) sum += machine.total.cpu;
  return sum;
}

/// True if who dies may live again.
bool anybody_returns(const FaultParams& faults) {
  return faults.life > Duration{0} ||
      (faults.crash_share > 0 && faults.restart_after > Duration{0}) ||
      (faults.managers > 0 && faults.managers_down > Duration{0});
}

Window window_of(const SimulationParams& params) {
  return {.from = Time{params.warm_up}, .until = Time{params.duration}};
}

}  // namespace

Result<std::unique_ptr<TraceWorkload>> open_trace_of(const Scenario& scenario) {
  if (!is_trace(scenario.workload.kind)) return nullptr;
  auto workload = TraceWorkload::open({.params = scenario.trace,
      .kind = scenario.workload.kind,
      .machines = machines_of(scenario.cluster, scenario.chance()),
      .profile = scenario.cluster.constraints,
      .constrained = scenario.workload.constrained,
      .demand = demand_of(scenario.workload),
      .first_job = Time{scenario.workload.first_job},
      .end = Time{scenario.simulation.duration},
      .seed = scenario.chance()});
  if (!workload) return tl::unexpected(workload.error());
  return std::make_unique<TraceWorkload>(*std::move(workload));
}

Simulation::Simulation(const Scenario& scenario, Trace* trace, std::unique_ptr<Workload> workload)
    : scenario_(scenario),
      defaults_(scenario_.attributes),
      machines_(machines_of(scenario.cluster, scenario.chance())),
      recorder_(window_of(scenario.simulation), cpu_of(machines_), scenario.measures),
      workload_(std::move(workload)),
      health_rng_(~scenario.chance()),
      classes_(*classes_of(scenario.classes)),
      sharing_(classes_) {
  began_ = wall_seconds();
  cpu_began_ = cpu_seconds();
  // One stream for each use: more peers, say, do not change the jobs.
  Rng root{scenario.chance()};
  const std::uint64_t latency_seed = root();
  const Delay delay = LatencyModel(scenario.network, latency_seed);
  Rng jobs = root.fork();
  Rng peers = root.fork();
  Rng chance = root.fork();
  Rng restarts = root.fork();
  cluster_ = std::make_unique<Cluster>(Cluster::Options{.params = scenario.peer_in_effect(),
                                           .network = scenario.network,
                                           .faults = scenario.faults,
                                           .seed = latency_seed,
                                           .disks = anybody_returns(scenario.faults),
                                           .per_peer = scenario.cluster.peers <= kPeersCounted,
                                           .cells = !classes_.empty(),
                                           .cell_cpu = scenario.measures.cell_cpu},
      recorder_, trace);
  set_calendar(*cluster_);
  recorder_.tell_classes(classes_);
  if (workload_ == nullptr && scenario.workload.kind == WorkloadKind::classes) {
    workload_ = std::make_unique<ClassWorkload>(scenario.workload, classes_,
        scenario.classes.backlog, scenario.cluster.peers, recorder_.window().until, jobs);
  }
  if (workload_ == nullptr) {
    ensure(scenario.workload.kind == WorkloadKind::synthetic, "a trace that nobody opened");
    workload_ = std::make_unique<SyntheticWorkload>(scenario.workload,
        SyntheticWorkload::Setting{.machines = machines_,
            .profile = scenario.cluster.constraints,
            .end = recorder_.window().until},
        jobs);
  }
  recorder_.tell_finished([this](std::uint64_t key) { release(key); });
  if (is_baseline(scenario.baseline.scheduler)) {
    baseline_ = make_baseline(
        {.machines = machines_, .delay = delay, .rng = chance, .params = scenario.baseline},
        recorder_);
  } else {
    add_peers(peers);
    cluster_->ready();
    schedule_faults(restarts);
    schedule_sharing();
  }
}

Simulation::~Simulation() {
  ns3::Simulator::Destroy();
}

Duration Simulation::birth_of(std::uint32_t peer) const {
  return scenario_.cluster.join_within / scenario_.cluster.peers * peer;
}

void Simulation::add_peers(Rng rng) {
  const ClusterParams& params = scenario_.cluster;
  cluster_->reserve(params.peers);
  if (params.start == Start::wired) return wire_peers(rng);
  for (std::uint32_t i = 0; i < params.peers; ++i) {
    std::vector<overlay::Endpoint> contacts;
    for (std::uint16_t c = 0; c < params.contacts && i > 0; ++c) {
      // Its address is all that a newcomer knows.
      contacts.push_back({.id = {}, .address = Cluster::endpoint_of(rng.below(i)).address});
    }
    cluster_->add(machines_[i], contacts, rng.fork(), Time{birth_of(i)});
  }
}

void Simulation::wire_peers(Rng rng) {
  const ClusterParams& params = scenario_.cluster;
  const std::uint16_t links = scenario_.peer.cyclon.view_size;
  for (std::uint32_t i = 0; i < params.peers; ++i) {
    cluster_->add(machines_[i], {}, rng.fork(), Time{birth_of(i)});
  }
  // Whom a peer draws twice, or itself, it does not know twice. Those of the next peer are on their
  // way from memory while one is served.
  std::vector<std::uint32_t> drawn, next;
  std::vector<overlay::Neighbour> known;
  for (std::uint32_t i = 0; i <= params.peers; ++i) {
    next.clear();
    for (std::uint16_t link = 0; link < links && i < params.peers; ++link) {
      next.push_back(rng.below(params.peers));
      cluster_->soon_introduced(next.back());
    }
    known.clear();
    for (const std::uint32_t peer : drawn) {
      known.push_back(cluster_->introduce(peer, Time{birth_of(i - 1)}));
    }
    if (i > 0) cluster_->seed(i - 1, known);
    std::swap(drawn, next);
  }
}

void Simulation::schedule_faults(Rng rng) {
  cluster_->faults().for_each_crash(
      scenario_.cluster.peers, last(), [&](std::uint32_t peer, const Faults::Crash& crash) {
        const Duration at = crash.at.time_since_epoch();
        ns3::Simulator::ScheduleWithContext(
            peer, to_ns3(at), [this, peer] { cluster_->crash(peer); });
        if (crash.down == Duration{0}) return;
        ns3::Simulator::ScheduleWithContext(peer, to_ns3(at + crash.down),
            [this, peer, chance = rng.fork()] { restart(peer, chance); });
      });
}

// As a newcomer: it remembers nobody, and asks peers that may themselves be down.
void Simulation::restart(std::uint32_t peer, Rng rng) {
  std::vector<overlay::Endpoint> contacts;
  while (contacts.size() < scenario_.cluster.contacts) {
    const std::uint32_t other = rng.below(scenario_.cluster.peers);
    contacts.push_back({.id = {}, .address = Cluster::endpoint_of(other).address});
  }
  cluster_->restart(peer, contacts);
  // Its users come back when it has found its way.
  if (workload_ != nullptr && workload_->goes_on())
    follow(workload_->again(peer, now() + kComeBack));
}

void Simulation::run(const OnProgress& on_progress) {
  tick_ = std::max(kTickMin, scenario_.simulation.duration / kTicks);
  schedule_next();
  if (scenario_.measures.health_period > Duration{0} && !baseline_) look_at_health();
  tick(on_progress);
  ns3::Simulator::Run();
  ended_ = now();
  occupied_ = recorder_.classes().total(ended_);
  cluster_->settle();
  if (baseline_) baseline_->settle();
  cost_ = {.wall_s = wall_seconds() - began_,
      .cpu_s = cpu_seconds() - cpu_began_,
      .events = ns3::Simulator::GetEventCount(),
      .peak_bytes = peak_bytes()};
}

std::vector<const sched::Peer*> Simulation::peers_alive() const {
  std::vector<const sched::Peer*> peers;
  for (std::uint32_t i = 0; i < cluster_->size(); ++i) {
    const bool alive = now() >= Time{birth_of(i)} && cluster_->up(i);
    peers.push_back(alive ? &cluster_->peer(i) : nullptr);
  }
  return peers;
}

void Simulation::look_at_health() {
  const auto peers = peers_alive();
  std::vector<bool> minor;
  for (std::uint32_t i = 0; i < cluster_->size() && scenario_.faults.partition_share > 0; ++i) {
    minor.push_back(cluster_->faults().in_minor_part(i));
  }
  health_.push_back(health_of({.now = now(),
                                  .peers = peers,
                                  .minor = std::move(minor),
                                  .gradient = scenario_.peer.gradient},
      scenario_.measures.health_sample, health_rng_));
  if (sharing_.watches()) {
    Sharing& sharing = health_.back().sharing;
    sharing = sharing_of(now(), peers);
    sharing_.look(now(), sharing, recorder_.classes().total(now()), cluster_->cell_loads());
  }
  ns3::Simulator::ScheduleWithContext(ns3::Simulator::NO_CONTEXT,
      to_ns3(scenario_.measures.health_period), [this] { look_at_health(); });
}

Time Simulation::last() const {
  return recorder_.window().until + scenario_.simulation.drain;
}

void Simulation::tick(const OnProgress& on_progress) {
  const bool idle = workload_ == nullptr && on_their_way_ == 0 && recorder_.all_finished();
  if (now() >= last() || (idle && now() >= recorder_.window().until)) {
    ns3::Simulator::Stop();
    return;
  }
  if (on_progress && wall_seconds() - last_progress_ >= kProgressPeriod) {
    last_progress_ = wall_seconds();
    on_progress(now(), recorder_);
  }
  ns3::Simulator::ScheduleWithContext(
      ns3::Simulator::NO_CONTEXT, to_ns3(tick_), [this, &on_progress] { tick(on_progress); });
}

}  // namespace dunlin::sim
