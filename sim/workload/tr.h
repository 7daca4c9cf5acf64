// SPDX-License-Identifier: MIT
#pragma once

#include "sim/workload/trace_format.h"

namespace dunlin::sim {

/// The format of the simulators of Hawk, Eagle, Pigeon and Megha, for one-slot tasks:
/// `submit_s tasks mean_s d1 d2 ... dn`.
class TrFormat final : public TraceFormat {
 public:
  Result<void> read(std::string_view line, std::vector<TraceJob>& jobs) override;
};

}  // namespace dunlin::sim
