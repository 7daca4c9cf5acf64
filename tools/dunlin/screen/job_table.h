// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tools/dunlin/json.h"
#include "tools/dunlin/screen/table.h"

namespace dunlin::cli {

/// The jobs (Summary of the control protocol) as a table, in their order, each by the name that it
/// is known as.
Table job_table(const Json& jobs);

/// "12", or "merlin.12" where the list is of the whole cluster.
std::string job_name(const Json& job);

/// "3 jobs: 1 waiting, 1 running, 1 failed" of an answer to `jobs`, for the line below the table,
/// which has `shown` of them. It says how to see more, and those that ended unless `all` shows
/// them.
std::string job_totals(const Json& answer, std::size_t shown, bool all);

/// "2 nodes did not answer: n3 (down, last heard of 4 s ago), n4 (...)"; empty if all did.
std::string silent_nodes_text(const Json& answer);
/// A line that says why the agent has joined no cluster, though it should; empty if it has.
std::string not_joined_line(const Json& answer);
/// Lines on the jobs that an administrator may go on with, since no node drives them by itself;
/// empty if there are none.
std::string orphans_text(const Json& answer);

}  // namespace dunlin::cli
