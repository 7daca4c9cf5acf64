// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "sched/cell/cell_node.h"
#include "sched/cell/cell_walk.h"

// Where a node says that cells are managed: a walk over the tree begins with these, and goes on
// with those of others.
namespace dunlin::sched {

/// The cells that this node manages or is a member of: their managers must answer a walk.
std::vector<ManagerPlace> own_places(const CellNode& cells, const Endpoint& self);

/// The cell that it is a member of, those that it keeps books of without being manager and their
/// parents, and the newest of those that gossip spoke of. At most `count_max`.
std::vector<ManagerPlace> known_places(const CellNode& cells, Time now, std::size_t count_max);

}  // namespace dunlin::sched
