// SPDX-License-Identifier: MIT
#include "sim/simulation.h"

#include <chrono>
#include <ctime>
#include <ns3/callback.h>
#include <ns3/nstime.h>
#include <ns3/object-factory.h>
#include <ns3/simulator.h>
#include <sys/resource.h>
#include <vector>

#include "sim/calendar.h"
#include "sim/clock.h"

namespace dunlin::sim {
namespace {

/// How often, in simulated time, it is seen whether all is done.
constexpr Duration kTick = std::chrono::milliseconds(100);
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

Window window_of(const SimulationParams& params) {
  return {.from = Time{params.warm_up}, .until = Time{params.duration}};
}

}  // namespace

Simulation::Simulation(const Scenario& scenario, Trace* trace)
    : scenario_(scenario),
      recorder_(window_of(scenario.simulation),
          std::uint64_t{scenario.cluster.peers} * scenario.capacity().cpu) {
  began_ = wall_seconds();
  cpu_began_ = cpu_seconds();
  // One stream for each use: more peers, say, do not change the jobs.
  Rng root{scenario.simulation.seed};
  const std::uint64_t latency_seed = root();
  Rng jobs = root.fork();
  Rng peers = root.fork();
  Rng restarts = root.fork();
  cluster_ = std::make_unique<Cluster>(Cluster::Options{.params = scenario.peer,
                                           .network = scenario.network,
                                           .faults = scenario.faults,
                                           .seed = latency_seed},
      recorder_, trace);
  set_calendar(*cluster_);
  workload_ = std::make_unique<SyntheticWorkload>(scenario.workload, scenario.cluster.peers,
      scenario.capacity(), recorder_.window().until, jobs);
  add_peers(peers);
  schedule_faults(restarts);
}

Simulation::~Simulation() {
  ns3::Simulator::Destroy();
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
    const Time birth{params.join_within / params.peers * i};
    cluster_->add(scenario_.capacity(), contacts, rng.fork(), birth);
  }
}

void Simulation::wire_peers(Rng rng) {
  const ClusterParams& params = scenario_.cluster;
  const std::uint16_t links = scenario_.peer.cyclon.view_size;
  const auto birth_of = [&](std::uint32_t i) {
    return Time{params.join_within / params.peers * i};
  };
  std::vector<overlay::Neighbour> known;
  for (std::uint32_t i = 0; i < params.peers; ++i) {
    const Time birth = birth_of(i);
    cluster_->add(scenario_.capacity(), {}, rng.fork(), birth);
    known.clear();
    // Whom it draws twice, or itself, it does not know twice.
    for (std::uint16_t link = 0; link < links; ++link) {
      known.push_back(cluster_->introduce(i, rng.below(params.peers), birth));
    }
    cluster_->acquaint(i, known);
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
}

void Simulation::run(const OnProgress& on_progress) {
  schedule_next();
  tick(on_progress);
  ns3::Simulator::Run();
  ended_ = now();
  cluster_->settle();
  cost_ = {.wall_s = wall_seconds() - began_,
      .cpu_s = cpu_seconds() - cpu_began_,
      .events = ns3::Simulator::GetEventCount(),
      .peak_bytes = peak_bytes()};
}

// Only the next job waits in the event queue, so that a long run needs no more memory.
void Simulation::schedule_next() {
  auto submission = workload_->next();
  if (!submission) {
    workload_.reset();
    return;
  }
  const Duration wait = submission->at - now();
  ns3::Simulator::ScheduleWithContext(submission->frontend, to_ns3(wait),
      [this, next = std::make_shared<Submission>(*std::move(submission))] { submit(*next); });
}

void Simulation::submit(Submission& submission) {
  cluster_->submit(submission.frontend, std::move(submission.job), submission.longest);
  schedule_next();
}

Time Simulation::last() const {
  return recorder_.window().until + scenario_.simulation.drain;
}

void Simulation::tick(const OnProgress& on_progress) {
  const bool idle = workload_ == nullptr && recorder_.all_finished();
  if (now() >= last() || (idle && now() >= recorder_.window().until)) {
    ns3::Simulator::Stop();
    return;
  }
  if (on_progress && wall_seconds() - last_progress_ >= kProgressPeriod) {
    last_progress_ = wall_seconds();
    on_progress(now(), recorder_);
  }
  ns3::Simulator::ScheduleWithContext(
      ns3::Simulator::NO_CONTEXT, to_ns3(kTick), [this, &on_progress] { tick(on_progress); });
}

}  // namespace dunlin::sim
