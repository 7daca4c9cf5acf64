// SPDX-License-Identifier: MIT
#include "sched/federation/local/logical_nodes.h"

#include "sched/resources.h"

namespace dunlin::sched::federation {

void LogicalNodes::hear(PeerId node, const std::vector<FrontendHold>& held) {
  if (held.empty()) return remove(node);
  held_[node] = held;
}

std::vector<FrontendHold> LogicalNodes::at(PeerId node, const Owners& owners) const {
  std::vector<FrontendHold> borrowed;
  const auto told = held_.find(node);
  if (told == held_.end() || !owners.has_member(node)) return borrowed;
  const PeerId owner = owners.owner_of(node);
  for (const FrontendHold& each : told->second) {
    const bool is_master = owners.partitions().contains(each.frontend);
    if (is_master && each.frontend != owner) borrowed.push_back(each);
  }
  return borrowed;
}

std::map<PeerId, LogicalNodes::Borrowed> LogicalNodes::by_borrower(const Owners& owners) const {
  std::map<PeerId, Borrowed> borrowed;
  for (const auto& [node, told] : held_) {
    for (const FrontendHold& each : at(node, owners)) {
      Borrowed& sum = borrowed[each.frontend];
      ++sum.nodes;
      give(sum.held, each.held);
    }
  }
  return borrowed;
}

}  // namespace dunlin::sched::federation
