// SPDX-License-Identifier: MIT
#include "tests/swarm/gang_watch.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <variant>

#include "sched/constraints.h"
#include "sched/peer_view.h"
#include "sched/resources.h"

namespace dunlin::test {

void GangWatch::draw(sched::Job& job, overlay::Rng& rng) const {
  const sched::PeerParams& params = plan_.world.params;
  // Its cells are asked one after the other: to be parked, for an offer, and for a question.
  const std::size_t cells = 1 + 2 * plan_.nodes.size() / params.sharing.cell.cell_size;
  const auto asks = (3 * plan_.world.network.latency_max + plan_.world.commit_max) * cells;
  const auto patience = params.federation.launch_timeout * params.federation.launch_tries;
  // One that is turned away by local masters has no view, and so no gangs.
  const bool may = params.frontend.placement == sched::PlacementName::federated &&
      params.federation.masters_max >= plan_.nodes.size() && job.replicas == 0 && patience > asks;
  if (!may || !rng.chance(0.6)) return;
  sched::TaskGroup& group = job.groups[rng.index(job.groups.size())];
  const auto fits = [&](const NodeConfig& node) {
    // Rows do not count the express share. It is of whole CPUs: what is beyond is by chance.
    sched::Resources total = node.total;
    const double express = std::ceil(params.worker.express_share * total.cpu / 1000.0) * 1000;
    if (express >= total.cpu) return false;
    total.cpu -= static_cast<std::uint32_t>(express);
    return sched::fits(group.demand, total) &&
        sched::satisfies_all(node.attributes, group.constraints);
  };
  // Nor do they count places: a node may seem to have room for more tasks than it may run.
  const auto seems_larger = [&](const NodeConfig& node) {
    const auto places = std::max<std::uint32_t>(params.worker.tasks_max, node.total.cpu / 1000);
    return sched::how_many_fit(group.demand, sched::all_of(node.total), places + 1) > places;
  };
  if (std::ranges::any_of(plan_.nodes, seems_larger)) return;
  // Some nodes die for good, and others drain.
  const auto room = static_cast<std::uint32_t>(std::ranges::count_if(plan_.nodes, fits) / 2);
  if (room < 2) return;
  group.count = std::min(group.count, room);
  sched::Lines entries;
  for (std::size_t i = 0; i < std::min<std::size_t>(group.count, group.entries.size()); ++i) {
    entries.push_back(group.entries[i]);
  }
  group.entries = std::move(entries);
  group.gang = true;
  group.at_once = 0;
}

std::optional<std::uint16_t> GangWatch::gang_of(const JobId& id, std::uint32_t index) const {
  const auto job = jobs_.find(id);
  if (job == jobs_.end()) return std::nullopt;
  std::uint32_t first = 0;
  for (std::uint16_t group = 0; group < job->second.groups.size(); ++group) {
    first += job->second.groups[group].count;
    if (index >= first) continue;
    return job->second.groups[group].gang ? std::optional(group) : std::nullopt;
  }
  return std::nullopt;
}

void GangWatch::on_event(std::size_t node, const sched::Event& event) {
  if (const auto* bound = std::get_if<sched::TaskBound>(&event)) {
    const auto group = gang_of(bound->job, bound->index);
    if (group) open_[{node, bound->job.number}].insert(*group);
  }
  const auto* begun = std::get_if<sched::GangStarted>(&event);
  if (begun == nullptr) return;
  open_.erase({node, begun->job.number});
  const sched::JobState* const job = sched::find_job(world_.peer(node), begun->job);
  if (job == nullptr || job->offered(static_cast<std::uint16_t>(begun->group)) > 0) {
    world_.fail("a part of a gang started");
  }
}

void GangWatch::look() const {
  if (!open_.empty()) world_.fail("a task of a gang was bound by itself");
}

}  // namespace dunlin::test
