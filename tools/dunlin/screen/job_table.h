// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tools/dunlin/connection/json.h"
#include "tools/dunlin/screen/table.h"

namespace dunlin::cli {

/// The jobs (SUMMARY of the control protocol) as a table, the newest first.
Table job_table(const Json& jobs);

/// "3 jobs: 1 waiting, 1 running, 1 failed", for the line below the table. Unless `all_shown` it
/// says how to see those that are finished.
std::string job_totals(const Json& jobs, bool all_shown);

}  // namespace dunlin::cli
