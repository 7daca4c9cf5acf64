// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "overlay/time.h"
#include "sched/job.h"
#include "sim/measure/window.h"
#include "sim/workload/job_facts.h"

namespace dunlin::sim {

using overlay::Duration;
using overlay::Time;

/// A job as users see it.
struct JobRecord {
  sched::JobId id;
  Time arrived{};    ///< When its user handed it in: it is measured if that is in the window.
  Time submitted{};  ///< When its frontend got it: later, if others had to end first.
  std::uint32_t tasks = 0;
  std::uint32_t started = 0;  ///< Tasks with a first attempt that began.
  JobFacts facts;
  Duration waited{0};            ///< Sum of its tasks' queueing delays.
  std::optional<Time> found;     ///< The time at which its frontend first heard of room for a task.
  Time last_end{};               ///< The end of the last attempt so far, where it ran.
  std::optional<Time> finished;  ///< The time at which its frontend knew that all had ended.
  bool cancelled = false;        ///< Some of its tasks were.
};

/// The records of all accepted jobs, by their whole names. A frontend that comes back without its
/// memory numbers its jobs from 1 again, in another lineage: those are other jobs.
class JobRecords {
 public:
  /// A record of a new job. Requires that there is none of that name.
  JobRecord& add(const sched::JobId& id);
  /// Null if there is none.
  JobRecord* find(const sched::JobId& id);
  const JobRecord* find(const sched::JobId& id) const;
  /// Accepted jobs, of all lives.
  std::uint64_t count() const { return count_; }
  /// Calls `visit(record)` for each, by frontend, life and number.
  void for_each(const std::function<void(const JobRecord&)>& visit) const;

 private:
  /// What a frontend took between two losses of its memory: the job `number` stands at number - 1.
  struct Life {
    std::uint64_t lineage = 0;
    std::vector<JobRecord> jobs;
  };

  std::vector<std::vector<Life>> homes_;  ///< Peer i has the id i + 1. Few have more than one life.
  std::uint64_t count_ = 0;
};

/// The jobs of a run, and which of them are measured: those that arrive in the window.
class MeasuredJobs {
 public:
  explicit MeasuredJobs(const Window& window) : window_(window) {}

  const Window& window() const { return window_; }
  /// No more jobs will come: measuring ends here, if it has not ended yet.
  void close(Time now) { window_.until = std::min(window_.until, now); }
  /// Accepted jobs.
  const JobRecords& records() const { return jobs_; }
  /// Whole jobs, or stages of them, that were refused, and when they came.
  const std::vector<std::pair<Time, JobFacts>>& refused_wholes() const { return refused_; }
  /// True if the job is one of those that are measured.
  bool measures(const JobRecord& job) const { return window_.contains(job.arrived); }
  /// Calls `visit(record)` for each measured job, by frontend, life and number.
  void for_each_job(const std::function<void(const JobRecord&)>& visit) const {
    jobs_.for_each([&](const JobRecord& job) {
      if (measures(job)) visit(job);
    });
  }
  /// Measured jobs that did not finish in time, lost ones among them: figures are flattered if
  /// there are many.
  std::uint64_t unfinished() const {
    std::uint64_t count = 0;
    for_each_job([&](const JobRecord& job) { count += job.finished ? 0u : 1u; });
    return count;
  }

 protected:
  Window window_;
  JobRecords jobs_;
  std::vector<std::pair<Time, JobFacts>> refused_;  ///< At most one for each job of the workload.
};

}  // namespace dunlin::sim
