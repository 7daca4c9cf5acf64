// SPDX-License-Identifier: MIT
#pragma once

#include <deque>
#include <limits>
#include <string>
#include <unordered_set>
#include <vector>

#include "overlay/params.h"
#include "sim/scenario/machines.h"
#include "sim/workload/lines.h"
#include "sim/workload/trace_format.h"
#include "sim/workload/workload.h"

namespace dunlin::sim {

/// How a trace is fitted to a cluster.
struct TraceParams {
  std::string data = "../shared/data";
  std::string file;
  double target_load = 0;
  double time_scale = 1;
  double keep_jobs = 1;
  double keep_tasks = 1;
  std::uint64_t jobs_max = 0;
  bool strict = false;
};

/// What the first reading of a trace found, so that a second can be fitted to the cluster.
struct TraceSurvey {
  std::string path;
  std::uint64_t jobs = 0;  ///< That remain after thinning, as for all that follow.
  std::uint64_t tasks = 0;
  double work = 0;  ///< Shares of the cluster × seconds.
  Duration first{0};
  Duration last{0};
  std::uint64_t too_large = 0;             ///< Jobs of tasks that no peer can run: left out.
  std::uint64_t malformed = 0;             ///< Lines: left out.
  std::vector<std::string> complaints;     ///< About the first few of them, as "file:line: what".
  std::unordered_set<std::uint64_t> keys;  ///< Of jobs that others may wait for.

  Duration span() const { return last - first; }
  /// One line each for people; empty if there is nothing to complain of.
  std::vector<std::string> warnings() const;
};

/// What a trace is to be run on.
struct TraceSetting {
  TraceParams params;
  WorkloadKind kind = WorkloadKind::tr;
  Fleet machines;  ///< One of each peer.
  ConstraintProfile profile = ConstraintProfile::none;
  double constrained = 0;   ///< Share of the jobs that demand attributes of the profile.
  sched::Resources demand;  ///< Of a task, where the trace knows of slots only.
  Time first_job{};         ///< When the first job arrives.
  Time end = Time::max();   ///< Later ones are left out.
  std::uint64_t seed = 1;   ///< Of thinning, of the choice of frontends, and of constraints.
};

/// The jobs of a trace, streamed: however long it is, little of it is in memory.
class TraceWorkload final : public Workload {
 public:
  /// Reads the trace once to survey it. Fails if it is not there, has no job, is malformed and that
  /// is not to be tolerated, or is not in the order of time.
  static Result<TraceWorkload> open(const TraceSetting& setting);

  std::optional<Submission> next() override;
  std::uint64_t left_out() const override { return survey_.too_large; }

  const TraceSurvey& survey() const { return survey_; }
  /// What a second of the trace lasts.
  double scale() const { return scale_; }
  /// From the first arrival to the last, after scaling.
  Duration length() const;
  /// Share of the cluster that the jobs would keep busy, after scaling.
  double offered_load() const;

 private:
  TraceWorkload(const TraceSetting& setting, LineFile file);

  Result<void> look_over();
  /// The next job that is kept; its tasks thinned. Empty at the end.
  Result<std::optional<TraceJob>> next_job();
  /// Draws what `job` demands of machines. False if none can run it.
  bool constrain(const TraceJob& job);
  bool keep(const TraceJob& job);
  Submission submission_of(TraceJob job);
  /// Share of the whole cluster that one task of `job` takes.
  double share_of(const TraceJob& job) const;

  TraceSetting setting_;
  LineFile file_;
  std::unique_ptr<TraceFormat> format_;
  std::string line_;
  std::deque<TraceJob> read_;  ///< From the line last read.
  sched::Resources largest_;   ///< Of all peers, in each dimension.
  double cpu_ = 0;             ///< Of all peers, milli-CPU ...
  double memory_ = 0;          ///< ... and MiB.
  TraceSurvey survey_;
  bool surveyed_ = false;
  double scale_ = 1;
  std::uint64_t jobs_ = 0;
  Duration last_{0};
  Rng thinning_;
  Rng frontends_;
  Eligibility eligibility_;
  ConstraintDraw constraints_;
  sched::TaskGroup demands_;  ///< What the last job demands, each of its tasks.
};

}  // namespace dunlin::sim

namespace dunlin::overlay {
template <>
inline constexpr std::string_view kWords<sim::WorkloadKind>[] = {
    "synthetic", "tr", "swf", "alibaba", "cloudera", "requests", "classes"};
template <>
inline constexpr std::string_view kSection<sim::TraceParams> = "trace";
template <>
inline constexpr auto kParams<sim::TraceParams> = std::tuple{
    Param<&sim::TraceParams::data>{{}, "The folder of traces; relative to the working folder."},
    Param<&sim::TraceParams::file>{{}, "The trace, within that folder. It may be gzipped."},
    Param<&sim::TraceParams::target_load>{{0.0, 4.0},
        "Time is stretched so that the jobs would keep this share of the cluster busy, from the "
        "first to the last. 0: as recorded."},
    Param<&sim::TraceParams::time_scale>{{1e-6, 1e6, Scale::log},
        "What a second between two arrivals lasts. Tasks are as long as ever."},
    Param<&sim::TraceParams::keep_jobs>{{1e-6, 1.0, Scale::log},
        "Share of the jobs that is kept, by chance; jobs that wait for each other together."},
    Param<&sim::TraceParams::keep_tasks>{
        {1e-6, 1.0, Scale::log}, "Share of each job's tasks that is kept, but at least one."},
    Param<&sim::TraceParams::jobs_max>{
        {0, std::numeric_limits<std::int64_t>::max()}, "Only so many jobs. 0: all."},
    Param<&sim::TraceParams::strict>{{}, "A malformed line is an error, not a warning."},
};
}  // namespace dunlin::overlay
