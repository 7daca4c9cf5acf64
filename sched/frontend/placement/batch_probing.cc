// SPDX-License-Identifier: MIT
#include "sched/frontend/placement/batch_probing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "sched/frontend/placement/batch_sample.h"
#include "sched/packing/rate_bits.h"

// One probe finds a free node by luck; several for each task, shared by all tasks of a job, find
// the shortest of many queues almost surely. Twice as many reservations as tasks do while nodes are
// free. Where one CPU in f is free, it takes f visits to find one: to walk that far takes time, to
// send f reservations takes none. A job of few tasks that had to queue is made known at more nodes,
// to be among the next wherever something ends.
namespace dunlin::sched {
namespace {

/// Below this many nodes known, they are all there are: two reservations on one node are useless.
constexpr std::size_t kSmallCluster = 16;
/// Reservations sent in one look to nodes that have room, beside those that wait already.
constexpr std::size_t kElsewhereMax = 16;
/// Nodes that a walk passes by because its tasks avoid them.
constexpr std::size_t kAvoidedInWalk = 3;

/// What there is of one resource and what is free of it, on some nodes.
struct Stock {
  double total = 0;
  double free = 0;

  void add(std::uint32_t of_total, std::uint32_t of_free) {
    total += of_total;
    free += std::min(of_free, of_total);
  }
  /// The nodes that one must visit to find room, from 1 up.
  double visits() const {
    return free == 0 ? std::numeric_limits<double>::infinity() : total / free;
  }
};

/// Reservations for each task, by how full the cluster seems: of CPUs, and of the rates that the
/// task demands, where nodes declare them.
double ratio(const FrontendParams& params, const Need& need, const Surroundings& around) {
  Stock cpus;
  std::array<Stock, kRates.size()> rates;
  const bool by_rates = has_rates(need.demand);
  for (const overlay::Neighbour& node : around.random()) {
    cpus.add(node.peer.cpu_total, node.peer.cpu_free);
    if (!by_rates || node.peer.rates_total == 0) continue;
    const Resources total = told_total(node.peer);
    const Resources free = told_free(node.peer);
    for (std::size_t i = 0; i < kRates.size(); ++i) {
      rates[i].add(total.*kRates[i].amount, free.*kRates[i].amount);
    }
  }
  double visits = cpus.visits();
  for (std::size_t i = 0; i < kRates.size(); ++i) {
    if (need.demand.*kRates[i].amount == 0 || rates[i].total == 0) continue;
    visits = std::max(visits, rates[i].visits());
  }
  const double max = std::max(params.probe_ratio, params.probe_ratio_full);
  return std::clamp(visits, params.probe_ratio, max);
}

/// The nodes in sight that may take a task of the group.
std::size_t takers(const Need& need, const Surroundings& around) {
  const auto takes = [&](const overlay::Neighbour& node) {
    return !is_sick(node.peer) && std::ranges::count(need.avoided, node.peer.id) == 0;
  };
  return static_cast<std::size_t>(std::ranges::count_if(around.known(), takes));
}

/// Reservations of the group that should be out.
std::size_t wanted(const FrontendParams& params, const Need& need, const Surroundings& around) {
  const double batch = std::ceil(ratio(params, need, around) * static_cast<double>(need.waiting));
  const double min = std::max<double>(batch, need.crowded ? params.probes_crowded : 1);
  const auto count = static_cast<std::size_t>(std::min<double>(min, params.probes_max));
  return around.known().size() < kSmallCluster ? std::min(count, takers(need, around)) : count;
}

/// The nodes where reservations of the group wait.
std::vector<std::uint64_t> holders(const Need& need) {
  std::vector<std::uint64_t> held;
  for (const Probe& probe : need.out) {
    if (probe.queued) held.push_back(probe.holder.id.value);
  }
  return held;
}

/// The nodes that no reservation of the group may go to.
std::vector<std::uint64_t> avoided(const Need& need) {
  std::vector<std::uint64_t> ids;
  for (const PeerId node : need.avoided) ids.push_back(node.value);
  return ids;
}

Batch batch_for(const FrontendParams& params, const Need& need, const Walk& walk) {
  Batch batch{.hops = {}, .walk = walk, .rest = std::max(params.reprobe_period, need.pause)};
  // The latest of them: the rest of the list is for the nodes on the way.
  const std::size_t count = std::min(need.avoided.size(), kAvoidedInWalk);
  for (const PeerId node : need.avoided.last(count)) batch.walk.visited.try_push(node.value);
  return batch;
}

}  // namespace

std::optional<Batch> fill_up(const FrontendParams& params,
    const Need& need,
    const Known& known,
    const Walk& walk,
    Rng& rng) {
  const std::size_t count = wanted(params, need, known.around);
  if (need.out.size() >= count) return std::nullopt;
  Batch batch = batch_for(params, need, walk);
  BatchSample sample(known.around, known.others,
      {.demand = need.demand, .signature = need.signature, .visited = {}}, holders(need),
      avoided(need));
  while (need.out.size() + batch.hops.size() < count) {
    const auto hop = sample.draw(walk, rng);
    if (!hop) break;  // No node is known.
    batch.hops.push_back(*hop);
  }
  return batch;
}

std::optional<Batch> look_elsewhere(
    const FrontendParams& params, const Need& need, const Known& known, const Walk& walk) {
  if (!std::ranges::all_of(need.out, &Probe::queued)) return std::nullopt;
  // They may wait for hours, while other nodes have nothing to do any more.
  Batch batch = batch_for(params, need, walk);
  std::vector<std::uint64_t> held = holders(need);
  for (const PeerId node : need.avoided) held.push_back(node.value);
  const std::size_t out_max = std::size_t{2} * params.probes_max;
  const std::size_t hops_max = std::min<std::size_t>(need.waiting, kElsewhereMax);
  while (batch.hops.size() < hops_max && need.out.size() + batch.hops.size() < out_max) {
    const auto hop = best_hop(known.around,
        {.demand = need.demand, .signature = need.signature, .visited = held, .rank = walk.rank});
    if (!hop) break;
    held.push_back(hop->to.id.value);
    batch.hops.push_back(*hop);
  }
  return batch;
}

}  // namespace dunlin::sched
