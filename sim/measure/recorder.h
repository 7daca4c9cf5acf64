// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "sched/job.h"
#include "sched/observer.h"
#include "sim/measure/allocation.h"
#include "sim/measure/attempt_meter.h"
#include "sim/measure/class_meter.h"
#include "sim/measure/event_log.h"
#include "sim/measure/input_meter.h"
#include "sim/measure/job_records.h"
#include "sim/measure/measures.h"
#include "sim/measure/node_loads.h"
#include "sim/measure/plan_meter.h"
#include "sim/scenario/measure_params.h"
#include "sim/workload/job_facts.h"

namespace dunlin::sim {

/// Turns events into figures.
class Recorder : public MeasuredJobs {
 public:
  struct Counts {
    /// Accepted jobs, measured or not; so are the tasks below.
    std::uint64_t jobs = 0;
    std::uint64_t jobs_finished = 0;
    std::uint64_t tasks = 0;
    std::uint64_t tasks_started = 0;  ///< Attempts, to be exact.
    std::uint64_t tasks_succeeded = 0;
    std::uint64_t tasks_failed = 0;
    std::uint64_t tasks_cancelled = 0;
    /// Attempts that lost their lease: they are made again.
    std::uint64_t attempts_lost = 0;
    /// Reservations that a worker passed on, and that one kept in its queue.
    std::uint64_t reservations_forwarded = 0;
    std::uint64_t reservations_queued = 0;
    /// Reservations as frontends sent them, and those that were not heard of in time.
    std::uint64_t probes_sent = 0;
    std::uint64_t probes_lost = 0;
    std::uint64_t jobs_refused = 0;
    std::uint64_t measured_refused = 0;  ///< Those of them that came within the window.
    std::string first_refusal;           ///< Why; empty if none was.
    InputMeter inputs;                   ///< Where attempts began.

    bool all_finished() const { return jobs_finished == jobs; }
  };

  /// `machines` are those that peers, or baselines, run tasks on.
  Recorder(const Window& window, const Fleet& machines, const MeasureParams& params = {});

  /// What is told is written down there, too: nowhere, until it is set.
  EventLog& log() { return log_; }
  /// The first job has come: what is measured does not begin before it.
  void open(Time now);
  /// A frontend accepted a job.
  void on_submit(Time now, const sched::JobId& id, std::uint32_t tasks, const JobFacts& facts);
  /// A frontend refused a job. The reason of the first refusal is kept.
  void on_refusal(Time now, const JobFacts& facts, const std::string& why);
  /// `event` happened at any peer.
  void on(Time now, const sched::Event& event);
  /// A machine was busy with an attempt that took `cpu` milli-CPU.
  void on_work(std::uint32_t machine, Time begin, Time end, std::uint32_t cpu);
  /// An attempt of a task of `job` ended on a machine, by itself or not.
  void on_end(Time now, const sched::JobId& job, std::uint32_t machine, bool by_itself);
  /// `told` is called with the key of each job that finishes, from within the event.
  void tell_finished(std::function<void(std::uint64_t key)> told) { told_ = std::move(told); }
  /// An attempt of a task of `job` begins to run; returns the class it belongs to, or 0. When it
  /// ceases to, classes() is to be told.
  sched::ClassId on_begin(Time now,
      const sched::JobId& job,
      std::uint32_t cpu,
      sched::InputPlace input = sched::InputPlace::none);
  /// The classes that are measured: none, until it is set.
  ClassMeter& classes() { return classes_; }
  /// What plans gave and what ran, if it is to be measured. Attempts that cease to run, plans and
  /// preemptions are to be told it.
  PlanMeter& plans() { return plans_; }
  const PlanMeter& plans() const { return plans_; }

  /// Attempts that cease to run, or still do at the end, are to be told it.
  AttemptMeter& attempts() { return attempts_; }
  const AttemptMeter& attempts() const { return attempts_; }

  AllocationMeter& allocation_meter() { return allocations_; }
  /// A task of `job` starts for the first time, after such an allocation.
  void on_allocation(const sched::JobId& job, const Allocation& parts);

  const Counts& counts() const { return counts_; }
  /// The measures of the measured jobs of a class.
  const Measures& of(JobClass which) const { return measures_[static_cast<std::size_t>(which)]; }
  /// Those of all measured jobs.
  const Measures& all() const { return of(JobClass::all); }
  /// The parts of the allocations of measured tasks, if they are told.
  const AllocationSamples& allocations() const { return allocations_.samples(); }
  /// The evenness of the slowdowns of measured jobs.
  const Fairness& fairness() const { return fairness_; }
  /// True if jobs of a class are told apart: all always, by constraints if a job had some.
  bool tells(JobClass which) const;
  /// The rates at which machines served tasks within the window, and how even their load was.
  std::optional<NodeLoads::Result> nodes() const { return nodes_.result(window_.until); }
  /// The share of all CPUs that worked, on average over the window; empty if that has no length.
  std::optional<double> utilisation() const;

 private:
  /// An attempt began; the first one of a task ends its wait.
  void started(Time now, const sched::TaskStarted& event);
  /// A worker has room for a task; the first time ends the job's search.
  void found(Time now, const sched::TaskBound& event);
  /// The frontend knows the results of all tasks.
  void finished(Time now, const sched::JobFinished& event);
  /// Adds a value to a measure of all jobs, and of the class of `job`.
  void add(Sample Measures::* measure, const JobRecord& job, Duration value);

  EventLog log_;
  std::uint64_t capacity_cpu_ = 0;  ///< milli-CPU of all machines together.
  Counts counts_;
  MeasureParams params_;
  std::array<Measures, kJobClasses> measures_;
  AllocationMeter allocations_;
  Fairness fairness_;
  NodeLoads nodes_;
  ClassMeter classes_;
  PlanMeter plans_;
  std::function<void(std::uint64_t key)> told_;
  bool constraints_seen_ = false;
  double work_ = 0;  ///< milli-CPU × ns within the window.
  AttemptMeter attempts_;
};

}  // namespace dunlin::sim
