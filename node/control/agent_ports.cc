// SPDX-License-Identifier: MIT
#include "node/control/agent_ports.h"

#include "node/ids.h"
#include "sched/logs/peer_logs.h"
#include "sched/peer.h"
#include "sched/peer_view.h"

namespace dunlin::node {

RecordMark AgentKnowledge::record_mark(const sched::JobId& job) const {
  const sched::PeerLogs* const logs = peer().logs();
  return {recorded().last, logs == nullptr ? sched::Promise{} : logs->promise(job)};
}

bool AgentKnowledge::is_void(const RecordMark& mark) const {
  return peer().logs() != nullptr && peer().logs()->is_void(mark.promise);
}

// Both must hold: this node's disk has it, and the standbys that the job requires do.
bool AgentKnowledge::durable(const RecordMark& mark) const {
  const sched::PeerLogs* const logs = peer().logs();
  return mark.commit <= recorded().on_disk && (logs == nullptr || logs->may_tell(mark.promise));
}

overlay::PeerId AgentKnowledge::id() const {
  return peer().self().endpoint.id;
}

std::string AgentKnowledge::name_of(overlay::PeerId node) const {
  // The directory has the own node only once a client asked for all nodes.
  if (node == id()) return peer().self().name;
  const auto& nodes = sched::directory_of(peer()).nodes();
  const auto entry = nodes.find(node);
  if (entry != nodes.end() && entry->second.facts) return entry->second.facts->name;
  std::string name = remembered_name(node);
  return name.empty() ? to_string(node) : name;
}

}  // namespace dunlin::node
