// SPDX-License-Identifier: MIT
#include "sim/engine/job_feed.h"

#include <algorithm>
#include <ns3/simulator.h>
#include <utility>

#include "sched/inputs/input_rates.h"
#include "sched/ledger/class_name.h"
#include "sim/clock.h"
#include "sim/transport/addresses.h"
#include "sim/workload/stages.h"

// Where jobs come from and when they are submitted. A workload says when a job arrives; it is
// submitted when what it waits for has ended, by the frontend that is its class's. What is measured
// goes by the arrivals, which no scheduler can move.
namespace dunlin::sim {
namespace {

/// The wait after a refused job, before the next one of its kind.
constexpr Duration kRefused = std::chrono::seconds(1);
/// The wait after a peer is back, in which it finds its way, before its users submit again.
constexpr Duration kComeBack = std::chrono::seconds(1);

/// To most baselines each machine has the inputs of all tasks.
void forget_inputs(sched::Job& job) {
  for (sched::TaskGroup& group : job.groups) {
    if (group.inputs.empty()) continue;
    group.demand = sched::at_input(group.demand, sched::input_terms(group.inputs, 0));
    group.inputs = {};
  }
}

/// Says where the machines with inputs are.
void find_inputs(sched::Job& job) {
  for (sched::TaskGroup& group : job.groups) {
    for (sched::InputNode& node : group.inputs.nodes) {
      node.address = endpoint_of(static_cast<std::uint32_t>(node.id.value) - 1).address;
    }
  }
}

}  // namespace

JobFeed::JobFeed(const Scenario& scenario,
    const std::vector<WorkloadClass>& classes,
    std::unique_ptr<Workload> workload,
    Recorder& recorder,
    Submit submit)
    : scenario_(scenario),
      classes_(classes),
      workload_(std::move(workload)),
      recorder_(recorder),
      submit_(std::move(submit)) {}

bool JobFeed::shares() const {
  return scenario_.peer.sharing.cell.sharing != sched::SharingMode::none;
}

// Only the next job waits in the event queue, so that a long run needs no more memory.
void JobFeed::schedule_next() {
  auto submission = workload_->next();
  if (!submission) {
    left_out_ = workload_->left_out();
    if (workload_->goes_on()) return;
    workload_.reset();
    if (ends_by_itself()) recorder_.close(now() + Duration{1});
    return;
  }
  const Duration wait = submission->at - now();
  const auto frontend = submission->frontend;
  ns3::Simulator::ScheduleWithContext(
      frontend, to_ns3(wait), [this, next = std::make_shared<Submission>(*std::move(submission))] {
        if (workload_ != nullptr && workload_->begins(*next) > now()) {
          next->at = workload_->begins(*next);
          follow({std::move(*next)});
        } else {
          take_in(std::move(*next));
        }
        schedule_next();
      });
}

// Peers and masters that pack hold the stages of a job. To other baselines each is a job of its
// own.
void JobFeed::take_in(Submission submission) {
  if (arrived_ == 0 && ends_by_itself()) recorder_.open(now());
  const Scheduler scheduler = scenario_.baseline.scheduler;
  const bool holds = !is_baseline(scheduler) || deals(scheduler);
  if (is_baseline(scheduler) && scheduler != Scheduler::tetris) forget_inputs(submission.job);
  find_inputs(submission.job);
  const bool whole = holds || !has_stages(submission.job);
  std::vector<Submission> parts;
  if (!whole) parts = split_stages(std::move(submission));
  if (whole) parts.push_back(std::move(submission));
  for (Submission& each : parts) {
    arrive(each);
    if (auto ready = dependencies_.pass(std::move(each))) submit(*std::move(ready));
  }
}

void JobFeed::submit(Submission submission) {
  arrive(submission);
  if (scenario_.workload.estimates) {
    for (sched::TaskGroup& group : submission.job.groups) {
      if (submission.job.groups.size() == 1) group.duration = submission.facts.mean;
    }
  } else {
    // Without estimates schedulers must learn how long tasks take, as they do in real life.
    for (sched::TaskGroup& group : submission.job.groups) group.duration = Duration{0};
  }
  assign_class(submission);
  if (goes_elsewhere(submission)) return;
  // Where there are no shares, no peer knows of classes: they are measured all the same.
  if (!shares()) submission.job.service_class.clear();
  submission.facts.deadline = submission.job.deadline;
  submission.facts.priority = submission.job.groups.front().priority;
  ++submitted_;
  const JobFacts facts = submission.facts;
  if (submit_(submission.frontend, std::move(submission.job), facts)) return;
  // Demand that answers to events goes on with its next job. Other refused jobs are lost.
  if (workload_ == nullptr || !workload_->goes_on()) return;
  if (auto next = workload_->after(facts.key, now() + kRefused)) follow({*std::move(next)});
}

void JobFeed::follow(std::vector<Submission> next) {
  for (Submission& each : next) {
    const Duration wait = std::max(Duration{0}, each.at - now());
    const std::uint32_t frontend = each.frontend;
    ns3::Simulator::ScheduleWithContext(
        frontend, to_ns3(wait), [this, later = std::make_shared<Submission>(std::move(each))] {
          submit(std::move(*later));
        });
  }
}

// A workload that ends by itself begins and ends what is measured: else the idle time before and
// after it would count. Its arrivals alone decide. When the last stage of a job comes to be
// submitted is the scheduler's doing, and what it does must not choose what is measured.
bool JobFeed::ends_by_itself() const {
  const WorkloadParams& params = scenario_.workload;
  if (params.kind == WorkloadKind::classes) return false;
  return params.kind != WorkloadKind::synthetic || params.jobs_max > 0;
}

void JobFeed::arrive(Submission& submission) {
  if (submission.facts.arrived) return;
  submission.facts.arrived = now();
  recorder_.log().arrived(now());
  ++arrived_;
}

Offered JobFeed::offered() const {
  return {.arrived = arrived_,
      .submitted = submitted_,
      .held = dependencies_.held(),
      .on_the_way = on_their_way_,
      .measured_held = dependencies_.held_of(recorder_.window().from, recorder_.window().until)};
}

// The peer that told of the end is in the middle of its turn: others wait for an event of their
// own.
void JobFeed::on_finished(std::uint64_t key) {
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
        });
  }
}

void JobFeed::on_returned(std::uint32_t peer) {
  if (workload_ == nullptr || !workload_->goes_on()) return;
  follow(workload_->again(peer, now() + kComeBack));
}

// Another frontend submits it in an event of its own.
bool JobFeed::goes_elsewhere(Submission& submission) {
  const auto its = std::ranges::find(classes_, submission.facts.class_id, &WorkloadClass::id);
  if (its == classes_.end() || !its->at || *its->at == submission.frontend) return false;
  submission.frontend = *its->at;
  ++on_their_way_;
  ns3::Simulator::ScheduleWithContext(submission.frontend, to_ns3(Duration{0}),
      [this, moved = std::make_shared<Submission>(std::move(submission))] {
        --on_their_way_;
        submit(std::move(*moved));
      });
  return true;
}

// Each job belongs to a class, whatever the workload: one that wants something now.
void JobFeed::assign_class(Submission& submission) const {
  if (classes_.empty() || !submission.job.service_class.empty()) {
    if (!submission.job.service_class.empty()) {
      submission.facts.class_id = sched::class_id_of(submission.job.service_class);
    }
    return;
  }
  double sum = 0;
  for (const WorkloadClass& each : classes_) sum += each.wants(now()) ? each.jobs : 0;
  // From the job's key, not from a stream: the class of a job must not depend on how many came
  // before it at this scheduler.
  double lot = Rng{submission.facts.key ^ scenario_.chance() << 20}.uniform() * sum;
  for (const WorkloadClass& each : classes_) {
    if (!each.wants(now()) || each.jobs <= 0) continue;
    submission.job.service_class = each.name;
    submission.facts.class_id = each.id;
    lot -= each.jobs;
    if (lot < 0) return;
  }
}

}  // namespace dunlin::sim
