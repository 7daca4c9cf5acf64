// SPDX-License-Identifier: MIT
#pragma once

#include <map>

#include "node/control/cell_walk.h"

namespace dunlin::node {

/// The knowledge of all other cells' books about one that may be lost.
struct CellTraces {
  bool manager = false;  ///< It answered: it is not lost.
  /// Cells to be told, with their managers: they sent it savings or got some, or miss it.
  std::map<sched::CellId, overlay::PeerId> open;
  /// Cells with books that have it as lost already.
  std::map<sched::CellId, overlay::PeerId> done;
  sched::Tickets under_way = 0;  ///< To it, from all of them.
};

/// Reads the traces of `lost` in what all managers said.
CellTraces traces_of(const CellReports& reports, sched::CellId lost);

}  // namespace dunlin::node
