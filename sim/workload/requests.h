// SPDX-License-Identifier: MIT
#pragma once

#include "sim/workload/trace_format.h"

namespace dunlin::sim {

/// Requests of classes, a line each: `submit_s class duration_s`, followed by their number if there
/// are several alike. Empty lines and lines that begin with # are skipped.
class RequestsFormat final : public TraceFormat {
 public:
  Result<void> read(std::string_view line, std::vector<TraceJob>& jobs) override;
};

}  // namespace dunlin::sim
