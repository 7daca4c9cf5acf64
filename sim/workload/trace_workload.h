// SPDX-License-Identifier: MIT
#pragma once

#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "sim/scenario/machines.h"
#include "sim/scenario/trace_params.h"
#include "sim/scenario/workload_params.h"
#include "sim/workload/lines.h"
#include "sim/workload/trace_format.h"
#include "sim/workload/trace_terms.h"
#include "sim/workload/workload.h"

namespace dunlin::sim {

/// The findings of the first reading of a trace, by which the second fits it to the cluster.
struct TraceSurvey {
  std::string path;
  std::uint64_t jobs = 0;  ///< Jobs that remain after thinning; the rest counts only these.
  std::uint64_t tasks = 0;
  double work = 0;  ///< Shares of the cluster × seconds.
  Duration first{0};
  Duration last{0};
  std::uint64_t too_large = 0;             ///< Jobs of tasks that no peer can run: left out.
  std::uint64_t malformed = 0;             ///< Malformed lines, left out.
  std::vector<std::string> complaints;     ///< About the first few of them, as "file:line: what".
  std::unordered_set<std::uint64_t> keys;  ///< Keys of jobs that others may wait for.
  JobsByUser users;                        ///< Where the trace names users.

  Duration span() const { return last - first; }
  /// Warnings for people, one line each; empty if all is well.
  std::vector<std::string> warnings() const;
};

/// The jobs of a trace that are taken: consecutive ones.
struct TraceSample {
  std::uint64_t first = 0;  ///< Jobs before it.
  std::uint64_t count = std::numeric_limits<std::uint64_t>::max();
};

/// The cluster on which a trace is run.
struct TraceSetting {
  TraceParams params;
  WorkloadKind kind = WorkloadKind::tr;
  Fleet machines;  ///< One for each peer.
  ConstraintProfile profile = ConstraintProfile::none;
  std::uint32_t frontends = 0;  ///< Peers that jobs are submitted to: see WorkloadParams.
  double constrained = 0;       ///< Share of the jobs that demand attributes of the profile.
  sched::Resources demand;      ///< The demand of a task, where the trace knows of slots only.
  Time first_job{};             ///< The arrival of the first job.
  Time end = Time::max();       ///< Later ones are left out.
  std::uint64_t seed = 1;       ///< Decides thinning, frontends and constraints.
};

/// The jobs of a trace, streamed: however long it is, little of it is in memory.
class TraceWorkload final : public Workload {
 public:
  /// Reads the trace once to survey it. Fails if it is not there, has no job, is not in the order
  /// of time, or is malformed when that is an error.
  static Result<TraceWorkload> open(const TraceSetting& setting);

  std::optional<Submission> next() override;
  std::uint64_t left_out() const override { return survey_.too_large; }

  const TraceSurvey& survey() const { return survey_; }
  /// The time that a second of the trace lasts.
  double scale() const { return scale_; }
  /// From the first arrival to the last, after scaling.
  Duration length() const;
  /// The share of the cluster that the jobs would keep busy, after scaling.
  double offered_load() const;

 private:
  TraceWorkload(const TraceSetting& setting, LineFile file);

  /// The first reading: fills `survey_`. Fails if no job remains.
  Result<void> look_over();
  /// The failure of a trace without a job, with what is wrong in it.
  tl::unexpected<Error> nothing_in_it();
  /// Appends the jobs of `line_`. Fails, saying what is wrong, if it is malformed.
  Result<void> read_line(std::vector<TraceJob>& jobs);
  /// The next job of the trace, or of what was drawn of it, in the order of time. Empty at the end.
  Result<std::optional<TraceJob>> read_job();
  /// The next job that is kept, with its tasks thinned. Empty at the end.
  Result<std::optional<TraceJob>> next_job();
  /// Counts all jobs, and draws which of them are taken.
  Result<TraceSample> draw_sample();
  /// Reads all jobs, and draws blocks of them.
  Result<std::vector<TraceJob>> resample();
  /// Draws the demands of `job` on machines. False if no machine can run it.
  bool constrain(const TraceJob& job);
  /// False if thinning leaves the job out. Draws unless the job is of a family.
  bool keep(const TraceJob& job);
  /// The job as it comes to a frontend: its time stretched, its terms and demands set.
  Submission submission_of(TraceJob job);
  /// The share of the whole cluster that one task of `job` takes.
  double share_of(const TraceJob& job) const;

  TraceSetting setting_;
  LineFile file_;
  std::unique_ptr<TraceFormat> format_;
  std::string line_;
  std::deque<TraceJob> read_;  ///< Jobs of the line last read.
  /// The jobs that were drawn with replacement, instead of those of the file; null: none were.
  std::shared_ptr<const std::vector<TraceJob>> drawn_;
  sched::Resources largest_;  ///< The largest of any peer, in each dimension.
  double cpu_ = 0;            ///< The sum of all peers, milli-CPU ...
  double memory_ = 0;         ///< ... and MiB.
  TraceSurvey survey_;
  bool surveyed_ = false;
  TraceSample sample_;
  std::uint64_t seen_ = 0;                            ///< Jobs read so far, taken or not.
  std::map<std::uint64_t, std::int16_t> priorities_;  ///< By user; empty: the default for all.
  Batches batches_;
  double scale_ = 1;
  std::uint64_t jobs_ = 0;
  Duration last_{0};
  Rng thinning_;
  Rng frontends_;
  Eligibility eligibility_;
  ConstraintDraw constraints_;
  sched::TaskGroup demands_;  ///< The demand of each task of the last job.
};

}  // namespace dunlin::sim
