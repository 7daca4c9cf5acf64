// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "overlay/result.h"
#include "overlay/time.h"
#include "sched/resources.h"
#include "sim/scenario/workload_params.h"

namespace dunlin::sim {

/// A job as a trace has it, before it is fitted to a cluster.
struct TraceJob {
  Duration at{0};  ///< On the trace's own clock.
  std::uint32_t tasks = 1;
  /// One for each task, or one for all of them.
  std::vector<Duration> durations;
  /// The duration by which the trace calls a job short or long; 0 if it names none.
  Duration mean{0};
  /// The demand of each task. Empty if the trace knows of slots only.
  std::optional<sched::Resources> demand;
  sched::Resources rates;     ///< The rates that the bytes of each task give, where it tells bytes.
  std::string service_class;  ///< The class it belongs to; empty if none is named.
  std::optional<std::uint64_t> user;   ///< The number of its user; empty if the trace has none.
  std::uint64_t key = 0;               ///< Distinct, unless 0.
  std::uint64_t family = 0;            ///< Jobs of one family are kept or left out together.
  std::vector<std::uint64_t> parents;  ///< Keys of jobs that must end first.

  /// How long that task takes, from 0 on. Requires that the job has it.
  Duration duration_of(std::uint32_t task) const {
    return durations.size() == 1 ? durations.front() : durations[task];
  }
  /// The work of all its tasks together, in seconds.
  double work() const;
};

/// A text format with one job a line.
class TraceFormat {
 public:
  virtual ~TraceFormat() = default;
  /// Appends the jobs of a line: none if it is a comment, a header or a job that did nothing; two
  /// if it has stages. Fails, saying what was expected, and appends nothing, if it is malformed.
  virtual Result<void> read(std::string_view line, std::vector<TraceJob>& jobs) = 0;
};

/// `machine` is the machine of which demands are given as shares. Requires a kind of trace.
std::unique_ptr<TraceFormat> trace_format(WorkloadKind kind, const sched::Resources& machine);

}  // namespace dunlin::sim
