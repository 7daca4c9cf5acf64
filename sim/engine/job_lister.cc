// SPDX-License-Identifier: MIT
#include "sim/engine/job_lister.h"

#include <algorithm>
#include <ns3/simulator.h>
#include <optional>
#include <ranges>
#include <set>

#include "sched/listing/job_lists.h"
#include "sim/clock.h"
#include "sim/engine/populate.h"

namespace dunlin::sim {
namespace {

/// A list is looked at so often: the resolution of its time.
constexpr Duration kLook = std::chrono::microseconds(100);

}  // namespace

void JobLister::start() {
  if (scenario_.measures.list_at == Duration{0}) return;
  ns3::Simulator::ScheduleWithContext(
      ns3::Simulator::NO_CONTEXT, to_ns3(scenario_.measures.list_at), [this] { begin(); });
}

void JobLister::begin() {
  const Duration period = scenario_.measures.list_period;
  if (now() + period < Time{scenario_.simulation.duration}) {
    ns3::Simulator::ScheduleWithContext(
        ns3::Simulator::NO_CONTEXT, to_ns3(period), [this] { begin(); });
  }
  const std::uint32_t peers = scenario_.cluster.peers;
  const auto is_up = [&](std::uint32_t peer) { return cluster_.up(peer); };
  // While all are down no user can ask.
  if (std::ranges::none_of(std::views::iota(0u, peers), is_up)) return;
  std::uint32_t peer = rng_.below(peers);
  // Users of a peer that is down ask at another one.
  while (!is_up(peer)) peer = rng_.below(peers);
  ns3::Simulator::ScheduleWithContext(peer, to_ns3(Duration{0}), [this, peer] {
    std::uint64_t number = 0;
    cluster_.act(peer, [&](sched::Peer& at, const sched::Host& host) {
      number = at.lists().begin(host, {.all = true});
    });
    if (number != 0) look(peer, number, now());
  });
}

void JobLister::look(std::uint32_t peer, std::uint64_t number, Time began) {
  // A crash ends what a user waits for, and is counted nowhere: lists measure nodes that answer.
  if (!cluster_.up(peer)) return;  // Its user is gone, too.
  std::optional<sched::ClusterJobs> jobs;
  cluster_.act(peer, [&](sched::Peer& at, const sched::Host&) { jobs = at.lists().take(number); });
  if (jobs) {
    meter_.took.add(now() - began);
    return record(*jobs);
  }
  ns3::Simulator::ScheduleWithContext(
      peer, to_ns3(kLook), [this, peer, number, began] { look(peer, number, began); });
}

void JobLister::record(const sched::ClusterJobs& jobs) {
  std::set<std::uint32_t> found;
  for (const sched::NodeJobs& node : jobs.nodes) {
    if (node.silent) {
      ++meter_.silent;
      continue;
    }
    ++meter_.nodes;
    meter_.jobs += node.matching;
    found.insert(static_cast<std::uint32_t>(node.node.value - 1));
  }
  meter_.cells_silent += jobs.silent.size();
  // Peers that join later are not missed: no list could have asked them.
  const std::uint32_t born = born_by(now(), scenario_.cluster);
  for (std::uint32_t peer = 0; peer < born; ++peer) {
    if (cluster_.up(peer) && !found.contains(peer)) ++meter_.missed;
  }
}

}  // namespace dunlin::sim
