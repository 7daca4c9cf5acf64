// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "sched/job.h"
#include "tests/support/world.h"

namespace dunlin::test {

/// Why a task of `group`, of a job of which tasks were `cancelled` or not, cannot have ended so;
/// empty if it can. Null: it has no result.
std::string wrong_result(const sched::Job& job,
    const sched::TaskGroup& group,
    const sched::Report* result,
    bool cancelled);

/// The activity that is left on a node; empty if there is none.
std::string stirring(const World& world, std::size_t node);

/// Declares the run broken if the books of a cell are.
void check_books(World& world);

}  // namespace dunlin::test
