// SPDX-License-Identifier: MIT
#include "sched/frontend/inputs/input_probes.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "sched/inputs/input_rates.h"

// A task is cheapest where its input is, so a reservation that came there is worth more than one
// elsewhere, and it stays. But a node with the input may be busy for long. So as many reservations
// walk the cluster as wait where inputs are, and the tasks go to whichever has room first.
namespace dunlin::sched {
namespace {

/// Where the node is by the latest news, or else was at the submit.
Address address_of(const Endpoint& node, const Surroundings& around) {
  const auto now = around.find(node.id);
  return now ? now->address : node.address;
}

/// 0: it has room for a task by what is known here; 2: it has not now; 1: nothing is known. Empty:
/// it never has, or is sick.
std::optional<int> lack_of_room(const Resources& demand, PeerId node, const Surroundings& around) {
  const auto id_of = [](const overlay::Neighbour& each) { return each.peer.id; };
  const auto known = std::ranges::lower_bound(around.known(), node, {}, id_of);
  if (known == around.known().end() || known->peer.id != node) return 1;
  const overlay::Descriptor& told = known->peer;
  if (is_sick(told) || told.cpu_total < demand.cpu || told.memory_total < demand.memory) {
    return std::nullopt;
  }
  return told.cpu_free >= demand.cpu && told.memory_free >= demand.memory ? 0 : 2;
}

}  // namespace

std::vector<InputTerms> terms_at(const JobState& job, std::uint16_t group, PeerId worker) {
  const InputIndex& index = job.groups()[group].inputs;
  if (!index.any()) return {};
  const std::uint32_t left = std::min(index.left(worker), job.offered(group));
  return {input_terms(job.spec_of(group).inputs, left)};
}

Duration length_at(const JobState& job, std::uint16_t group, PeerId worker, Duration told) {
  return job.groups()[group].inputs.stuck(worker) > 0 ? Duration{0} : told;
}

void add_inputs(
    Tasks& tasks, const JobState& job, PeerId worker, bool here, const Surroundings& around) {
  const JobState::Group& group = job.groups()[tasks.group];
  if (!group.inputs.any()) return;
  tasks.inputs = terms_at(job, tasks.group, worker);
  tasks.task_time = length_at(job, tasks.group, worker, tasks.task_time);
  for (Assignment& task : tasks.tasks) {
    const std::uint32_t index = task.index - group.first;
    if (group.inputs.is_at(index, worker)) continue;
    task.remote = true;
    for (const Endpoint& source : group.inputs.sources(index)) {
      task.sources.push_back({.node = source.id, .address = address_of(source, around)});
    }
  }
  if (!here || !tasks.tasks.empty()) return;
  // Those that wait there may rest. It shall not ask for them again at once, but for others.
  tasks.inputs.front().left = 0;
  tasks.remaining = job.offered(tasks.group);
}

void probe_inputs_first(std::vector<Hop>& hops,
    const JobState& job,
    std::uint16_t group,
    std::span<const Probe> out,
    std::span<const PeerId> avoided,
    const Surroundings& around,
    Rng& rng) {
  const InputIndex& index = job.groups()[group].inputs;
  if (!index.any() || hops.empty()) return;
  const auto is_taken = [&](PeerId node) {
    return std::ranges::count(avoided, node) > 0 ||
        std::ranges::any_of(out, [&](const Probe& probe) { return probe.holder.id == node; });
  };
  struct Wish {
    int lack = 0;
    std::uint32_t left = 0;
    std::uint32_t chance = 0;
    Endpoint node;
  };
  std::vector<Wish> wishes;
  for (const InputIndex::Node& node : index.nodes()) {
    if (node.left == 0 || is_taken(node.id)) continue;
    const auto lack = lack_of_room(job.spec_of(group).demand, node.id, around);
    if (!lack) continue;
    wishes.push_back({*lack, node.left, rng.below(UINT32_MAX), {node.id, node.address}});
  }
  std::ranges::sort(wishes, {},
      [](const Wish& wish) { return std::tuple(wish.lack, UINT32_MAX - wish.left, wish.chance); });
  wishes.resize(std::min(wishes.size(), std::max<std::size_t>(1, hops.size() / 2)));
  for (std::size_t i = 0; i < wishes.size(); ++i) {
    const Endpoint& node = wishes[i].node;
    const auto same = std::ranges::find(hops, node.id, [](const Hop& hop) { return hop.to.id; });
    if (same != hops.end())
      std::swap(*same, hops[i]);
    else
      hops[i] = {.to = {node.id, address_of(node, around)}, .greedy = false};
  }
}

}  // namespace dunlin::sched
