// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "tools/dunlin/connection/connection.h"
#include "tools/dunlin/jobs/selectors.h"

namespace dunlin::cli {

/// The numbers of the jobs meant; asks the agent which there are only if it must.
/// With `unfinished_only`, "all" and ranges mean those that have not ended.
Result<std::vector<std::uint32_t>> choose_jobs(
    Connection& agent, const JobSelector& selector, bool unfinished_only = false);

/// The one job meant by a word such as "12" or "last".
Result<std::uint32_t> choose_job(Connection& agent, const JobSelector& selector);

}  // namespace dunlin::cli
