// SPDX-License-Identifier: MIT
#include "sched/federation/view_census.h"

#include <algorithm>

#include "sched/constraints.h"
#include "sched/resources.h"

namespace dunlin::sched::federation {

ViewCensus census_of(const GlobalView& view,
    const Resources& demand,
    std::span<const Constraint> constraints,
    Time since) {
  ViewCensus census{.satisfied = std::vector<std::size_t>(constraints.size())};
  for (const CellId cell : view.cells()) {
    if (view.is_matched(cell, since)) ++census.cells;
  }
  view.visit(since, [&](const Row& row, const NodeKind& kind) {
    ++census.rows;
    bool all = true;
    for (std::size_t i = 0; i < constraints.size(); ++i) {
      const bool satisfied = satisfies_all(kind.attributes, constraints.subspan(i, 1));
      census.satisfied[i] += satisfied ? 1 : 0;
      all = all && satisfied;
    }
    if (!all) return;
    ++census.matching;
    if (!row.draining && fits(demand, row.free)) ++census.with_room;
  });
  return census;
}

}  // namespace dunlin::sched::federation
