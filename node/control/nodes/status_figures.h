// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "node/control/agent_ports.h"
#include "node/control/json.h"
#include "overlay/address.h"

// What `status` tells for alarms: the figures that show a trouble before its users do.
namespace dunlin::sched {
struct KnownNode;
}

namespace dunlin::node {

class AgentServices;

/// True if somebody said that this node, which is down, does not come back.
bool is_forgotten(AgentServices& agent, overlay::PeerId id, const sched::KnownNode& node);
/// The nodes that are known, by their states. Those that said good-bye, or do not come back, are
/// not missed: they are not counted.
Json node_states_json(AgentServices& agent);
/// OwnCells: this node's part in cells; null if nothing is shared.
Json own_cells_json(const AgentServices& agent);
/// Disk; null if it is not known.
Json disk_json(const std::optional<DiskFigures>& disk);

}  // namespace dunlin::node
