// SPDX-License-Identifier: MIT
#pragma once

#include "sim/workload/trace_format.h"

namespace dunlin::sim {

/// Requests of classes, a line each: `submit_s class duration_s`, and after it, if there are more
/// than one alike, how many. Empty lines and those that begin with # say nothing.
class RequestsFormat final : public TraceFormat {
 public:
  Result<void> read(std::string_view line, std::vector<TraceJob>& jobs) override;
};

}  // namespace dunlin::sim
