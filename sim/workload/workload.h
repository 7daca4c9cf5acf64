// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sched/job.h"
#include "sched/turn.h"
#include "sim/measure/job_facts.h"

namespace dunlin::sim {

using overlay::Duration;
using overlay::Rng;
using overlay::Time;

/// A job on its way to a frontend.
struct Submission {
  Time at{};
  std::uint32_t frontend = 0;  ///< The index of the peer that gets it.
  sched::Job job;              ///< Without an id: the frontend gives one.
  JobFacts facts;
  std::vector<std::uint64_t> parents;  ///< Keys of jobs that must end before this one is submitted.
};

/// What users want from the cluster.
class Workload {
 public:
  virtual ~Workload() = default;
  /// In the order of time. Empty: no more will come.
  virtual std::optional<Submission> next() = 0;
  /// Jobs so far that no machine can run: next() leaves them out.
  virtual std::uint64_t left_out() const = 0;

  // Of demand that answers to what happens; else nothing of this.

  /// What comes now that the job of that key has ended; at once, or later.
  virtual std::optional<Submission> after(std::uint64_t, Time) { return std::nullopt; }
  /// What comes now that a frontend is back that forgot all of its jobs.
  virtual std::vector<Submission> again(std::uint32_t, Time) { return {}; }
  /// When a job is really submitted: not before `at`.
  virtual Time begins(const Submission& submission) const { return submission.at; }
  /// True if more may come after next() has no more.
  virtual bool goes_on() const { return false; }
};

/// How a simulated task says how long it takes: 8 bytes, the least first, of nanoseconds; in the
/// spec of its group, or in its own entry.
std::string duration_bytes(Duration duration);
/// 1 s if there are no 8 bytes.
Duration duration_of(const sched::Launch& launch);
/// Of the task that is the `index`-th of its group.
Duration duration_of(const sched::TaskGroup& group, std::uint32_t index);

}  // namespace dunlin::sim
