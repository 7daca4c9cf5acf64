// SPDX-License-Identifier: MIT
#include "tests/swarm/inputs/input_watch.h"

#include <algorithm>
#include <chrono>
#include <string>

#include "sched/inputs/input_rates.h"
#include "sched/inputs/input_text.h"
#include "sched/peer_view.h"
#include "sched/resources.h"
#include "sched/worker/worker.h"
#include "tests/support/inputs/world_inputs.h"

namespace dunlin::test {
namespace {

using overlay::Rng;

/// A slow node wakes so much later than it should.
constexpr Duration kLate = std::chrono::seconds(2);

bool can_run(const sched::TaskGroup& group, const NodeConfig& node) {
  const auto has = [&](const sched::Constraint& constraint) {
    return std::ranges::any_of(node.attributes, [&](const sched::Attribute& each) {
      return each.key == constraint.key && each.value == constraint.value;
    });
  };
  return sched::fits(group.demand, sched::all_of(node.total)) &&
      std::ranges::all_of(group.constraints, has);
}

/// Names of one to four nodes, `first` among them.
sched::InputText draw_input(std::size_t first, std::size_t nodes, Rng& rng) {
  sched::InputText input{.size = 1 + rng.below(4096), .nodes = {std::to_string(first)}};
  for (std::uint32_t i = rng.below(4); i > 0; --i) {
    const std::string name = rng.chance(0.1) ? "unknown" : std::to_string(rng.index(nodes));
    if (std::ranges::count(input.nodes, name) == 0) input.nodes.push_back(name);
  }
  std::ranges::rotate(input.nodes,
      input.nodes.begin() + static_cast<std::ptrdiff_t>(rng.index(input.nodes.size())));
  return input;
}

}  // namespace

void InputWatch::draw(sched::Job& job, const std::vector<NodeConfig>& nodes, Rng& rng) {
  for (sched::TaskGroup& group : job.groups) {
    if (group.gang || rng.chance(0.4)) continue;
    std::vector<std::size_t> able;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (can_run(group, nodes[i])) able.push_back(i);
    }
    if (able.empty()) continue;
    const std::size_t host = able[rng.index(able.size())];
    // Where its input is, any task fits that node.
    const std::uint32_t there = nodes[host].total.disk_read;
    group.demand.disk_read = 1 + rng.below(there == 0 ? 1000 : there);
    group.demand.net_in = rng.chance(0.3) ? 0 : 1 + rng.below(1000);
    if (rng.chance(0.2)) group.demand.disk_read = group.demand.net_in = 0;
    sched::InputsBuilder builder;
    const std::uint32_t count = rng.chance(0.3) ? 1 : group.count;
    for (std::uint32_t i = 0; i < count; ++i) {
      (void)builder.add(draw_input(host, nodes.size(), rng));
    }
    place_inputs(group, builder.take());
  }
}

void InputWatch::look() const {
  for (std::size_t node = 0; node < world_.size(); ++node) {
    const sched::Worker* const worker = world_.up(node) ? world_.peer(node).worker() : nullptr;
    if (worker == nullptr) continue;
    for (const sched::LoanOut& loan : worker->loans().lender().out()) {
      if (loan.ends + kLate < world_.now()) world_.fail("a loan goes on without its lease");
    }
  }
}

std::string InputWatch::describe(
    const sched::JobState& job, std::uint16_t group, const World& world) {
  const sched::TaskGroup& spec = job.spec_of(group);
  if (spec.inputs.empty()) return "";
  std::string text = " takes " + to_string(spec.demand) + ", or " +
      sched::rate_text(spec.inputs.disk_read) + " of disk read at";
  for (const auto& each : job.groups()[group].inputs.nodes()) {
    if (each.left == 0) continue;
    const std::size_t node = World::node_of(each.id);
    const sched::Worker* const worker = world.up(node) ? world.peer(node).worker() : nullptr;
    text += " node " + std::to_string(each.id.value) + " of " + to_string(world.config(node).total);
    if (worker != nullptr) text += " with " + to_string(worker->slots().free()) + " free";
    text += ";";
  }
  return text;
}

}  // namespace dunlin::test
