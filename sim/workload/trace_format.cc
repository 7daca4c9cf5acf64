// SPDX-License-Identifier: MIT
#include "sim/workload/trace_format.h"

#include <numeric>

#include "overlay/ensure.h"
#include "sim/workload/alibaba.h"
#include "sim/workload/cloudera.h"
#include "sim/workload/requests.h"
#include "sim/workload/swf.h"
#include "sim/workload/tr.h"

namespace dunlin::sim {

double TraceJob::work() const {
  const auto sum = std::accumulate(durations.begin(), durations.end(), 0.0,
      [](double total, Duration each) { return total + static_cast<double>(each.count()) / 1e9; });
  return durations.size() == 1 ? sum * tasks : sum;
}

std::unique_ptr<TraceFormat> trace_format(WorkloadKind kind, const sched::Resources& machine) {
  switch (kind) {
    case WorkloadKind::tr:
      return std::make_unique<TrFormat>();
    case WorkloadKind::swf:
      return std::make_unique<SwfFormat>();
    case WorkloadKind::alibaba:
      return std::make_unique<AlibabaFormat>(machine);
    case WorkloadKind::cloudera:
      return std::make_unique<ClouderaFormat>();
    case WorkloadKind::requests:
      return std::make_unique<RequestsFormat>();
    case WorkloadKind::synthetic:
    case WorkloadKind::classes:
    case WorkloadKind::mapreduce:
      break;
  }
  ensure(false, "a workload without a trace");
  return nullptr;
}

}  // namespace dunlin::sim
