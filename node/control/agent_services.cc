// SPDX-License-Identifier: MIT
#include "node/control/agent_services.h"

#include "sched/peer_view.h"

namespace dunlin::node {

std::string AgentServices::name_of(overlay::PeerId node) const {
  // The directory has the own node only once a client asked for all nodes.
  if (node == id()) return peer().self().name;
  return sched::directory_of(peer()).name_of(node);
}

}  // namespace dunlin::node
