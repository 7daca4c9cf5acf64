// SPDX-License-Identifier: MIT
#include "sim/engine/outages.h"

#include <algorithm>
#include <ns3/simulator.h>
#include <utility>
#include <vector>

#include "sim/clock.h"
#include "sim/engine/populate.h"
#include "sim/measure/sharing.h"
#include "sim/transport/addresses.h"

// Crashes that the scenario names are drawn before the run, each peer's from a stream of its own,
// so that they do not depend on what peers do. Managers and voters are known only when their time
// comes: those victims are picked from the cells as they are then.
namespace dunlin::sim {

Outages::Outages(
    const Scenario& scenario, Cluster& cluster, std::function<void(std::uint32_t)> returned)
    : scenario_(scenario),
      cluster_(cluster),
      returned_(std::move(returned)) {}

void Outages::schedule_crashes(Time end, Rng rng) {
  cluster_.faults().for_each_crash(
      scenario_.cluster.peers, end, [&](std::uint32_t peer, const Faults::Crash& crash) {
        const Duration at = crash.at.time_since_epoch();
        ns3::Simulator::ScheduleWithContext(
            peer, to_ns3(at), [this, peer] { cluster_.crash(peer); });
        // A stream for each, drawn now: its contacts when it is back must not depend on how many
        // others came back before.
        if (crash.down != Duration{0}) restart_after(at + crash.down, peer, rng.fork());
      });
}

void Outages::schedule_managers(Rng rng) {
  managers_ = rng;
  if (scenario_.faults.managers == 0 && scenario_.faults.quorums == 0) return;
  ns3::Simulator::ScheduleWithContext(ns3::Simulator::NO_CONTEXT,
      to_ns3(scenario_.faults.managers_at), [this] { kill_managers(); });
}

// One peer may be the manager of a cell and a voter of another: it dies once.
void Outages::kill_managers() {
  const FaultParams& faults = scenario_.faults;
  const auto peers = peers_alive(cluster_, scenario_.cluster);
  std::vector<std::uint32_t> victims;
  const auto add = [&](std::uint32_t peer) {
    if (std::ranges::count(victims, peer) == 0) victims.push_back(peer);
  };
  std::uint32_t cells = 0;
  for (const auto& [cell, manager] : managers_of(peers, faults.managers_level)) {
    if (cells < faults.managers) add(manager);
    if (cells < faults.quorums) std::ranges::for_each(majority_of(peers, cell, manager), add);
    ++cells;
  }
  for (const std::uint32_t peer : victims) kill(peer);
}

void Outages::kill(std::uint32_t peer) {
  cluster_.crash(peer);
  if (scenario_.faults.managers_down == Duration{0}) return;
  restart_after(scenario_.faults.managers_down, peer, managers_.fork());
}

void Outages::restart_after(Duration wait, std::uint32_t peer, Rng rng) {
  ns3::Simulator::ScheduleWithContext(
      peer, to_ns3(wait), [this, peer, rng] { restart(peer, rng); });
}

// As a newcomer: it remembers no peer, and asks peers that may themselves be down.
void Outages::restart(std::uint32_t peer, Rng rng) {
  std::vector<Endpoint> contacts;
  while (contacts.size() < scenario_.cluster.contacts) {
    const std::uint32_t other = rng.below(scenario_.cluster.peers);
    contacts.push_back({.id = {}, .address = endpoint_of(other).address});
  }
  cluster_.restart(peer, contacts);
  returned_(peer);
}

bool any_returns(const FaultParams& faults) {
  return faults.life > Duration{0} ||
      ((faults.crash_share > 0 || faults.crash_first > 0) && faults.restart_after > Duration{0}) ||
      (faults.managers + faults.quorums > 0 && faults.managers_down > Duration{0});
}

}  // namespace dunlin::sim
