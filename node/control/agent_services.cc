// SPDX-License-Identifier: MIT
#include "node/control/agent_services.h"

#include "sched/peer_view.h"

namespace dunlin::node {

std::string AgentServices::name_of(overlay::PeerId node) const {
  return sched::directory_of(peer()).name_of(node);
}

}  // namespace dunlin::node
