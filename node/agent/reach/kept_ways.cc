// SPDX-License-Identifier: MIT
#include "node/agent/reach/kept_ways.h"

#include <vector>

#include "sched/directory/directory.h"
#include "sched/peer_view.h"

namespace dunlin::node {

void recall_ways(AgentParts& parts) {
  for (const auto& [node, way] : parts.records->store().ways().all()) {
    parts.transport->ways().remember(node, {.told = way.told, .works = way.works}, parts.now());
  }
}

void keep_ways(AgentParts& parts) {
  WayTable& kept = parts.records->store().ways();
  for (const auto& [node, found] : parts.unreachable) kept.put(node, found.told, found.works);
  const auto& known = sched::directory_of(*parts.peer).nodes();
  // Dropped after the walk, as it is the table that is walked.
  std::vector<overlay::PeerId> reached;
  for (const auto& [node, way] : kept.all()) {
    // What it tells now, if that is known.
    const auto entry = known.find(node);
    const overlay::Address& told =
        entry == known.end() ? way.told : entry->second.descriptor.address;
    if (parts.transport->ways().is_reached_at(node, told, parts.now())) reached.push_back(node);
  }
  for (const overlay::PeerId node : reached) kept.drop(node);
}

}  // namespace dunlin::node
