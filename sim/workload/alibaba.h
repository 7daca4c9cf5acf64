// SPDX-License-Identifier: MIT
#pragma once

#include "sim/workload/trace_format.h"

namespace dunlin::sim {

/// The sample of Alibaba's trace of 2018, without a header:
/// `arrival_s,job,task,duration_s,plan_cpu,plan_mem,instances`; 100 plan_cpu are one CPU, plan_mem
/// is in % of a machine. Each task group becomes a job of its own. A name such as R23_22 says that
/// group 23 waits until group 22 of the same job has ended.
class AlibabaFormat final : public TraceFormat {
 public:
  explicit AlibabaFormat(const sched::Resources& machine) : machine_(machine) {}

  Result<void> read(std::string_view line, std::vector<TraceJob>& jobs) override;

 private:
  sched::Resources machine_;
};

}  // namespace dunlin::sim
