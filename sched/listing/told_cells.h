// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sched/cell/cell_walk.h"
#include "sched/listing/message.h"

namespace dunlin::sched {

class CellNode;

// What a node answers to a walk over the tree of cells, as it is told and as it is heard. CellWalk
// knows no messages.

/// The cells managed here, at most `count_max`; none if `cells` is nullptr.
std::vector<ListedCell> told_cells(const CellNode* cells, std::size_t count_max);
/// Where others are said to be.
std::vector<ManagerAt> told_places(const CellNode* cells, Time now, std::size_t count_max);

std::vector<WalkedCell> walked_cells(std::span<const ListedCell> told);
std::vector<ManagerPlace> walked_places(std::span<const ManagerAt> told);

}  // namespace dunlin::sched
