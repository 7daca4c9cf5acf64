// SPDX-License-Identifier: MIT
#include "sim/measure/recorder.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "overlay/ensure.h"

// Users see a job from its submit to its last result, so every delay counts from the submit. Only
// jobs that arrived in the window count: before it the cluster is still filling, and after it no
// more jobs come that could compete. Their end may lie behind the window; a run that stopped there
// would lose the longest jobs and look better than it is. So may the submit of a stage that waits
// for others: if that decided, each scheduler would measure other jobs.
// Work is counted by overlap with the window instead, whichever job it is of, since utilisation is
// about machines.
namespace dunlin::sim {
namespace {

template <typename... Cases>
struct Match : Cases... {
  using Cases::operator()...;
};

}  // namespace

Recorder::Recorder(const Window& window, const Fleet& machines, const MeasureParams& params)
    : MeasuredJobs(window),
      params_(params),
      nodes_(window, machines, params.balance_interval),
      plans_(window.from, params.plans) {
  for (const Machine& each : machines.all()) capacity_cpu_ += each.total.cpu;
}

void Recorder::on_submit(
    Time now, const sched::JobId& id, std::uint32_t tasks, const JobFacts& facts) {
  JobRecord& job = jobs_.add(id);
  job.arrived = facts.arrived.value_or(now);
  job.submitted = now;
  job.tasks = tasks;
  job.facts = facts;
  log_.accepted(job);
  if (facts.constrained && !std::exchange(constraints_seen_, true)) {
    // All jobs so far were free, and were kept but once.
    measures_[static_cast<std::size_t>(JobClass::free_jobs)] =
        measures_[static_cast<std::size_t>(JobClass::all)];
  }
  ++counts_.jobs;
  counts_.tasks += tasks;
  plans_.on_submit(now, id, tasks, facts.priority);
}

void Recorder::open(Time now) {
  if (now <= window_.from) return;
  // Not behind its end: a window has no negative length.
  window_.from = std::min(now, window_.until);
  nodes_.open(window_.from);
}

void Recorder::on_refusal(Time now, const JobFacts& facts, const std::string& why) {
  // One reason is enough to see what is wrong; a million of them are no better.
  if (counts_.jobs_refused++ == 0) counts_.first_refusal = why;
  const Time arrived = facts.arrived.value_or(now);
  log_.refused(arrived, facts);
  if (window_.contains(arrived)) ++counts_.measured_refused;
  if (facts.whole != 0) refused_.emplace_back(arrived, facts);
}

void Recorder::on(Time now, const sched::Event& event) {
  std::visit(
      Match{
          [&](const sched::TaskStarted& task) { started(now, task); },
          // Placed in whichever way: asked for by a worker, launched, or given by a preemption.
          [&](const sched::TaskBound& task) {
            allocations_.gave(now, task.job, task.index);
            found(now, task);
          },
          [&](const sched::TaskLaunched& task) { allocations_.gave(now, task.job, task.index); },
          [&](const sched::PreemptionAsked& task) { allocations_.gave(now, task.job, task.index); },
          [&](const sched::JobFinished& job) { finished(now, job); },
          [&](const sched::TaskLost&) { ++counts_.attempts_lost; },
          [&](const sched::ProbeSent&) { ++counts_.probes_sent; },
          [&](const sched::ProbeLost&) { ++counts_.probes_lost; },
          [&](const sched::ReservationForwarded&) { ++counts_.reservations_forwarded; },
          [&](const sched::ReservationQueued&) { ++counts_.reservations_queued; },
          [](const auto&) {},
      },
      event);
}

void Recorder::started(Time now, const sched::TaskStarted& event) {
  ++counts_.tasks_started;
  log_.started(now, event.job, event.attempt);
  JobRecord* job = jobs_.find(event.job);
  ensure(job != nullptr, "a task of a job that nobody submitted");
  if (event.attempt != 1) return;  // A task waits only once, before its first attempt.
  ++job->started;
  job->waited += now - job->submitted;
  if (measures(*job)) {
    add(&Measures::queueing_delay, *job, now - job->submitted);
  }
  const auto parts = allocations_.start(now, event.job, event.index, job->submitted);
  if (parts) on_allocation(event.job, *parts);
}

void Recorder::on_allocation(const sched::JobId& id, const Allocation& parts) {
  const JobRecord* job = jobs_.find(id);
  if (job != nullptr && measures(*job)) allocations_.add(parts);
}

void Recorder::found(Time now, const sched::TaskBound& event) {
  JobRecord* job = jobs_.find(event.job);
  ensure(job != nullptr, "a task of a job that nobody submitted");
  // Only the first task: finding is the time until a job has any place at all.
  if (job->found) return;
  log_.bound(now, event.job);
  job->found = now;
  if (measures(*job)) add(&Measures::finding, *job, now - job->submitted);
}

void Recorder::add(Sample Measures::* measure, const JobRecord& job, Duration value) {
  const auto add_to = [&](JobClass which) {
    // Samples of classes that no table shows would only take memory.
    if (tells(which)) (measures_[static_cast<std::size_t>(which)].*measure).add(value);
  };
  add_to(JobClass::all);
  const bool is_short = job.facts.mean <= params_.cutoff;
  add_to(is_short ? JobClass::short_jobs : JobClass::long_jobs);
  add_to(job.facts.constrained ? JobClass::constrained_jobs : JobClass::free_jobs);
}

bool Recorder::tells(JobClass which) const {
  switch (which) {
    case JobClass::all:
      break;
    case JobClass::short_jobs:
    case JobClass::long_jobs:
      return params_.cutoff > Duration{0};
    case JobClass::free_jobs:
    case JobClass::constrained_jobs:
      return constraints_seen_;
  }
  return true;
}

void Recorder::finished(Time now, const sched::JobFinished& event) {
  JobRecord* job = jobs_.find(event.job);
  ensure(job != nullptr, "a job that was never submitted");
  // A home may have died before its standby heard of the end, which comes again.
  if (job->finished) return;
  log_.finished(now, event.job, event.succeeded, event.failed, event.cancelled);
  ++counts_.jobs_finished;
  counts_.tasks_succeeded += event.succeeded;
  counts_.tasks_failed += event.failed;
  counts_.tasks_cancelled += event.cancelled;
  job->cancelled = event.cancelled > 0;
  job->finished = now;
  allocations_.forget(event.job);
  plans_.on_finish(now, event.job);
  if (measures(*job)) {
    const Duration response = now - job->submitted;
    // Response is what its user is told, completion what its tasks did: between lie the ways of
    // reports.
    const Duration completion = job->last_end - job->submitted;
    const Duration longest = job->facts.longest;
    // Without a floor, a task of a millisecond that waits a second would outweigh all others.
    const double slowdown = static_cast<double>(completion.count()) /
        static_cast<double>(std::max({longest, params_.slowdown_floor, Duration{1}}).count());
    add(&Measures::response, *job, response);
    add(&Measures::excess, *job, response - longest);
    add(&Measures::completion, *job, completion);
    add(&Measures::delay, *job, completion - longest);
    add(&Measures::slowdown, *job,
        Duration{std::llround(std::max(slowdown, 1.0) * kNoSlowdown.count())});
    fairness_.add(std::max(slowdown, 1.0));
  }
  // Also of jobs outside of the window: stages that wait for them must come.
  if (told_) told_(job->facts.key);
}

void Recorder::on_end(Time now, const sched::JobId& id, std::uint32_t machine, bool by_itself) {
  log_.ended(now, id, machine, by_itself);
  if (by_itself) nodes_.on_served(machine, now);
  if (JobRecord* job = jobs_.find(id)) job->last_end = std::max(job->last_end, now);
}

sched::ClassId Recorder::on_begin(
    Time now, const sched::JobId& id, std::uint32_t cpu, sched::InputPlace input) {
  counts_.inputs.begin(input);
  attempts_.begin(now);
  log_.began(now);
  plans_.on_begin(now, id);
  if (classes_.classes().empty()) return 0;
  const JobRecord* job = jobs_.find(id);
  if (job == nullptr || job->facts.class_id == 0) return 0;
  classes_.change(now, job->facts.class_id, cpu);
  return job->facts.class_id;
}

void Recorder::on_work(std::uint32_t machine, Time begin, Time end, std::uint32_t cpu) {
  attempts_.work(begin, end);
  log_.worked(machine, begin, end, cpu);
  nodes_.on_work(machine, begin, end, cpu);
  plans_.on_work(end - begin);
  work_ += static_cast<double>(window_.overlap(begin, end).count()) * cpu;
}

std::optional<double> Recorder::utilisation() const {
  const double possible =
      static_cast<double>(window_.length().count()) * static_cast<double>(capacity_cpu_);
  return possible > 0 ? std::optional(work_ / possible) : std::nullopt;
}

}  // namespace dunlin::sim
