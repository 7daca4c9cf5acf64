// SPDX-License-Identifier: MIT
#include "sched/logs/candidates.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string_view>
#include <tuple>
#include <vector>

#include "sched/cell/manager/voter_choice.h"

namespace dunlin::sched::logs {
namespace {

std::string_view rack_of(const std::vector<Attribute>& attributes) {
  const auto rack = std::ranges::find(attributes, "rack", &Attribute::key);
  return rack == attributes.end() ? std::string_view() : rack->value;
}

/// A hash of both: the finaliser of splitmix64.
std::uint64_t weight(std::uint64_t log, PeerId node) {
  std::uint64_t mixed = log ^ (node.value * 0x9e3779b97f4a7c15);
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return mixed ^ (mixed >> 31);
}

struct Ranked {
  std::uint32_t score = 0;
  bool same_rack = false;
  std::uint64_t weight = 0;
  std::uint64_t machine = 0;
  bool again = false;  ///< Another one of that machine comes before it.
  replica::Member member;
};

/// A standby should stay: a large node does, and one that has run for long. Agents count
/// their incarnations by the seconds of a clock, so how much longer than the youngest of them.
std::uint32_t score_of(const Facts& facts, std::uint32_t youngest) {
  return voter_score(std::chrono::seconds(youngest - facts.incarnation), facts.total.cpu);
}

/// Those that could keep a copy.
std::vector<const KnownNode*> fit_nodes(
    const Directory& directory, const NodeSpec& self, Time now) {
  std::vector<const KnownNode*> fit;
  for (const auto& [id, node] : directory.nodes()) {
    if (id == self.endpoint.id || !node.facts || node.state(now) != NodeState::up) continue;
    const Facts& facts = *node.facts;
    const bool elsewhere = facts.machine == 0 || facts.machine != self.machine;
    if (facts.replica == 0 || !elsewhere || facts.draining || !facts.trouble.empty()) continue;
    fit.push_back(&node);
  }
  return fit;
}

}  // namespace

replica::Set candidates(const Directory& directory,
    const NodeSpec& self,
    std::uint64_t log,
    Time now,
    std::size_t max) {
  const std::vector<const KnownNode*> fit = fit_nodes(directory, self, now);
  std::uint32_t youngest = 0;
  for (const KnownNode* node : fit) youngest = std::max(youngest, node->facts->incarnation);
  std::vector<Ranked> ranked;
  const std::string_view rack = rack_of(self.attributes);
  for (const KnownNode* node : fit) {
    const Facts& facts = *node->facts;
    const PeerId id = node->descriptor.id;
    ranked.push_back({.score = score_of(facts, youngest),
        .same_rack = !rack.empty() && rack_of(facts.attributes) == rack,
        .weight = weight(log, id),
        .machine = facts.machine,
        .member = {{facts.replica}, {id, node->descriptor.address}}});
  }
  // The best of all would get every log: each log has an order of its own among the upper half.
  std::ranges::stable_sort(ranked, std::greater{}, &Ranked::score);
  ranked.resize(std::min(ranked.size(), std::max(max, ranked.size() / 2)));
  const auto before = [](const Ranked& a, const Ranked& b) {
    return std::tie(a.same_rack, a.weight) < std::tie(b.same_rack, b.weight);
  };
  std::ranges::sort(ranked, before);
  // Standbys of one machine are lost together: the first of each machine goes before the others.
  std::set<std::uint64_t> machines;
  for (Ranked& each : ranked) {
    each.again = each.machine != 0 && !machines.insert(each.machine).second;
  }
  std::ranges::stable_sort(ranked, {}, &Ranked::again);
  if (ranked.size() > max) ranked.resize(max);
  replica::Set chosen;
  for (const Ranked& each : ranked) chosen.push_back(each.member);
  return chosen;
}

}  // namespace dunlin::sched::logs
