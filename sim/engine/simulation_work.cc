// SPDX-License-Identifier: MIT
// The part of a simulation that submits jobs when their time has come.
#include <algorithm>
#include <chrono>
#include <memory>
#include <ns3/simulator.h>
#include <utility>
#include <vector>

#include "sim/engine/clock.h"
#include "sim/engine/simulation.h"

namespace dunlin::sim {
namespace {

/// Who was refused a job tries again after so long.
constexpr Duration kRefused = std::chrono::seconds(1);

}  // namespace

// Only the next job waits in the event queue, so that a long run needs no more memory.
void Simulation::schedule_next() {
  auto submission = workload_->next();
  if (!submission) {
    left_out_ = workload_->left_out();
    if (workload_->goes_on()) return;
    workload_.reset();
    close_if_last();
    return;
  }
  const Duration wait = submission->at - now();
  ns3::Simulator::ScheduleWithContext(submission->frontend, to_ns3(wait),
      [this, next = std::make_shared<Submission>(*std::move(submission))] {
        if (workload_ != nullptr && workload_->begins(*next) > now()) {
          next->at = workload_->begins(*next);
          follow({std::move(*next)});
        } else if (auto ready = dependencies_.pass(std::move(*next))) {
          submit(*std::move(ready));
        }
        schedule_next();
      });
}

void Simulation::submit(Submission submission) {
  if (scenario_.workload.estimates) {
    for (sched::TaskGroup& group : submission.job.groups) group.duration = submission.facts.mean;
  }
  belong(submission);
  // Where nobody shares, no peer knows of classes: they are measured all the same.
  if (!shares()) submission.job.service_class.clear();
  if (baseline_) {
    baseline_->submit(submission.frontend, std::move(submission.job), submission.facts);
  } else {
    const JobFacts facts = submission.facts;
    if (cluster_->submit(submission.frontend, std::move(submission.job), facts)) return;
    // Demand that answers to what happens asks again; else the job is lost.
    if (workload_ == nullptr || !workload_->goes_on()) return;
    if (auto next = workload_->after(facts.key, now() + kRefused)) follow({*std::move(next)});
  }
}

void Simulation::follow(std::vector<Submission> next) {
  for (Submission& each : next) {
    const Duration wait = std::max(Duration{0}, each.at - now());
    const std::uint32_t frontend = each.frontend;
    ns3::Simulator::ScheduleWithContext(
        frontend, to_ns3(wait), [this, later = std::make_shared<Submission>(std::move(each))] {
          submit(std::move(*later));
        });
  }
}

// A workload that ends by itself ends what is measured: else the idle time after it would count.
void Simulation::close_if_last() {
  const WorkloadParams& params = scenario_.workload;
  const bool by_itself = params.kind != WorkloadKind::synthetic || params.jobs_max > 0;
  if (!by_itself || workload_ || on_their_way_ > 0 || dependencies_.held() > 0) return;
  recorder_.close(now() + Duration{1});
}

// The peer that told of the end is in the middle of its turn: others wait for an event of their
// own.
void Simulation::release(std::uint64_t key) {
  if (workload_ != nullptr && workload_->goes_on()) {
    if (auto next = workload_->after(key, now())) follow({*std::move(next)});
    return;
  }
  for (Submission& free : dependencies_.ended(key)) {
    ++on_their_way_;
    const std::uint32_t frontend = free.frontend;
    ns3::Simulator::ScheduleWithContext(frontend, to_ns3(Duration{0}),
        [this, next = std::make_shared<Submission>(std::move(free))] {
          --on_their_way_;
          submit(std::move(*next));
          close_if_last();
        });
  }
}

}  // namespace dunlin::sim
