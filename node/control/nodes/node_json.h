// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "node/control/bins/node_bins.h"
#include "node/control/json.h"
#include "overlay/address.h"
#include "sched/directory/known_node.h"

// Objects of docs/design/control-protocol.md that tell of nodes.
namespace dunlin::node {

class AgentServices;
struct GoneNode;

/// A Drain: why a node takes no tasks, if an administrator said so; null otherwise.
Json drain_terms_json(const std::optional<sched::DrainTerms>& terms);
/// SlotStates.
Json slots_json(const sched::SlotCounts& slots);
/// A Node: what is known here of one that the directory has.
Json node_json(const AgentServices& agent, overlay::PeerId id, const sched::KnownNode& node);
/// The same in numbers, for sums over thousands: no text is made. Valid as long as `node` is not
/// changed.
NodeFigures figures_of(
    const AgentServices& agent, overlay::PeerId id, const sched::KnownNode& node);
/// A GoneNode: one that left without a good-bye, and that the directory has no more.
Json gone_node_json(overlay::PeerId id, const GoneNode& node);

}  // namespace dunlin::node
