// SPDX-License-Identifier: MIT
#include "sched/logs/candidates.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <vector>

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
  bool same_rack = false;
  std::uint64_t weight = 0;
  replica::Member member;
};

}  // namespace

replica::Set candidates(const Directory& directory,
    const NodeSpec& self,
    std::uint64_t log,
    Time now,
    std::size_t max) {
  std::vector<Ranked> ranked;
  const std::string_view rack = rack_of(self.attributes);
  for (const auto& [id, node] : directory.nodes()) {
    if (id == self.endpoint.id || !node.facts || node.state(now) != NodeState::up) continue;
    const Facts& facts = *node.facts;
    const bool elsewhere = facts.machine == 0 || facts.machine != self.machine;
    if (facts.replica == 0 || !elsewhere || !facts.trouble.empty()) continue;
    ranked.push_back({.same_rack = !rack.empty() && rack_of(facts.attributes) == rack,
        .weight = weight(log, id),
        .member = {{facts.replica}, {id, node.descriptor.address}}});
  }
  const auto before = [](const Ranked& a, const Ranked& b) {
    return std::tie(a.same_rack, a.weight) < std::tie(b.same_rack, b.weight);
  };
  std::ranges::sort(ranked, before);
  if (ranked.size() > max) ranked.resize(max);
  replica::Set chosen;
  for (const Ranked& each : ranked) chosen.push_back(each.member);
  return chosen;
}

}  // namespace dunlin::sched::logs
