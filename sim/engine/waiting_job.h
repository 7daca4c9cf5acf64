// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <utility>

#include "sched/job.h"
#include "sim/clock.h"
#include "sim/measure/recorder.h"

namespace dunlin::sim {

/// A job on its way to its frontend. If that never takes it, it counts as refused.
class WaitingJob {
 public:
  /// `count` counts jobs that wait. Both must outlive this.
  WaitingJob(Recorder& recorder, std::uint32_t& count, sched::Job job, const JobFacts& facts)
      : recorder_(recorder),
        count_(count),
        job_(std::move(job)),
        facts_(facts) {
    ++count_;
  }
  WaitingJob(const WaitingJob&) = delete;
  WaitingJob& operator=(const WaitingJob&) = delete;
  // Also where the peer crashes: with its waiting turns, what they hold is dropped, and this with
  // it.
  ~WaitingJob() {
    --count_;
    if (!taken_) recorder_.on_refusal(since_, facts_, "its frontend never came to take it");
  }

  /// Its frontend takes it: accepted or refused, the frontend says so now. Once only.
  sched::Job take() {
    taken_ = true;
    return std::move(job_);
  }
  const JobFacts& facts() const { return facts_; }
  /// When its user submitted it.
  overlay::Time since() const { return since_; }

 private:
  Recorder& recorder_;
  std::uint32_t& count_;
  sched::Job job_;
  JobFacts facts_;
  overlay::Time since_ = now();
  bool taken_ = false;
};

}  // namespace dunlin::sim
