// SPDX-License-Identifier: MIT
#pragma once

#include "sim/workload/trace_format.h"

namespace dunlin::sim {

/// The Standard Workload Format of the Parallel Workloads Archive: lines of 18 numbers, -1 for
/// missing ones; `;` begins a comment. A job of n processors becomes n tasks that need not run at
/// the same time. A job runs no longer than it requested; one that never ran is left out. Its user
/// is the number in column 12.
class SwfFormat final : public TraceFormat {
 public:
  Result<void> read(std::string_view line, std::vector<TraceJob>& jobs) override;
};

}  // namespace dunlin::sim
