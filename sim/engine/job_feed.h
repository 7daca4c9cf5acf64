// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "sim/measure/conservation.h"
#include "sim/measure/recorder.h"
#include "sim/scenario/scenario.h"
#include "sim/workload/dependencies.h"
#include "sim/workload/workload.h"

namespace dunlin::sim {

/// Submits the jobs of a workload when their time has come: those that come by the clock, those
/// that wait for others to end, and those that come because others have ended.
class JobFeed {
 public:
  /// Hands a job to a frontend; false if it was refused.
  using Submit = std::function<bool(std::uint32_t frontend, sched::Job job, const JobFacts& facts)>;

  /// `classes` are those of the scenario. `scenario` and `recorder` must outlive this.
  JobFeed(const Scenario& scenario,
      const std::vector<WorkloadClass>& classes,
      std::unique_ptr<Workload> workload,
      Recorder& recorder,
      Submit submit);
  JobFeed(const JobFeed&) = delete;
  JobFeed& operator=(const JobFeed&) = delete;

  /// The first job is scheduled. Once, before the loop runs.
  void start() { schedule_next(); }
  /// A job has ended: those that waited for it can come.
  void on_finished(std::uint64_t key);
  /// A frontend is back, and has forgotten its jobs.
  void on_returned(std::uint32_t peer);

  /// True if no job is to come any more but those that wait for others.
  bool over() const { return workload_ == nullptr && on_their_way_ == 0; }
  /// Jobs never submitted, as no machine can run them.
  std::uint64_t left_out() const { return left_out_; }
  /// What came from the workload so far, and what became of it here.
  Offered offered() const;

 private:
  /// Draws the next job, and sets an event for it; at the end of the workload nothing more is set.
  void schedule_next();
  /// Its time has come: it is submitted once nothing holds it.
  void take_in(Submission submission);
  /// It is free to go: hands it to its frontend, with what schedulers may know of it.
  void submit(Submission submission);
  /// Submits each when its time has come, which may be past: then at once.
  void follow(std::vector<Submission> next);
  /// The part of a job, or the whole of it, has come: counts it, and says when.
  void arrive(Submission& submission);
  /// True if the workload says what the window is: from its first job to its last.
  bool ends_by_itself() const;
  /// Gives a job without a class one, in proportion to what classes want now.
  void assign_class(Submission& submission) const;
  /// True if peers know of classes.
  bool shares() const;
  /// True if the frontend of its class is another one, to which it has been sent now.
  bool goes_elsewhere(Submission& submission);

  const Scenario& scenario_;
  const std::vector<WorkloadClass>& classes_;
  std::unique_ptr<Workload> workload_;
  Recorder& recorder_;
  Submit submit_;
  Dependencies dependencies_;
  std::uint64_t left_out_ = 0;
  std::uint64_t on_their_way_ = 0;  ///< Jobs let go by others, or moved, and not submitted yet
  std::uint64_t arrived_ = 0;
  std::uint64_t submitted_ = 0;
};

}  // namespace dunlin::sim
