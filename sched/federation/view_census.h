// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sched/federation/global_view.h"

namespace dunlin::sched::federation {

/// How many rows of a view a group of tasks could be matched with, for people to read.
struct ViewCensus {
  std::size_t cells = 0;               ///< That are matched: their local masters were heard lately.
  std::size_t rows = 0;                ///< The nodes there.
  std::vector<std::size_t> satisfied;  ///< For each constraint: rows that satisfy it.
  std::size_t matching = 0;            ///< Rows that satisfy all of them ...
  std::size_t with_room = 0;           ///< ... and of these, that have room for a task now.
};

/// It looks at each row. `since`: as for GlobalView::match().
ViewCensus census_of(const GlobalView& view,
    const Resources& demand,
    std::span<const Constraint> constraints,
    Time since);

}  // namespace dunlin::sched::federation
