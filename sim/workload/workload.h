// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sched/job.h"
#include "sched/turn.h"
#include "sim/workload/job_facts.h"

namespace dunlin::sim {

using overlay::Duration;
using overlay::Rng;
using overlay::Time;

/// A job on its way to a frontend.
struct Submission {
  Time at{};
  std::uint32_t frontend = 0;  ///< The index of the peer that gets it.
  sched::Job job;              ///< Without an id; the frontend gives one.
  /// For the record; schedulers see nothing of it but priority and deadline.
  JobFacts facts;
  std::vector<std::uint64_t> parents;  ///< Keys of jobs that must end before this one is submitted.
};

/// The jobs that users submit to the cluster.
class Workload {
 public:
  virtual ~Workload() = default;
  /// The next job, in the order of time. Empty: no more will come.
  virtual std::optional<Submission> next() = 0;
  /// Jobs so far that no machine can run: next() leaves them out.
  virtual std::uint64_t left_out() const = 0;

  // The functions below are for demand that answers to events. Other workloads keep the defaults.

  /// The job that follows when the job of that key has ended; at once, or later.
  virtual std::optional<Submission> after(std::uint64_t, Time) { return std::nullopt; }
  /// The jobs that follow when a frontend is back that forgot all of its jobs.
  virtual std::vector<Submission> again(std::uint32_t, Time) { return {}; }
  /// The time at which a job is really submitted: not before `at`.
  virtual Time begins(const Submission& submission) const { return submission.at; }
  /// True if more may come after next() has no more.
  virtual bool goes_on() const { return false; }
};

/// The duration of a simulated task, as bytes: 8 bytes of nanoseconds, lowest first, in the spec of
/// its group or in its own entry.
std::string duration_bytes(Duration duration);
/// Reads the duration of a task; 1 s if there are no 8 bytes.
Duration duration_of(const sched::Launch& launch);
/// A task of that duration takes so long on a machine of that speed, above 0.
Duration at_speed(Duration duration, double speed);
/// The duration of the `index`-th task of a group.
Duration duration_of(const sched::TaskGroup& group, std::uint32_t index);

}  // namespace dunlin::sim
