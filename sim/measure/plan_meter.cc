// SPDX-License-Identifier: MIT
#include "sim/measure/plan_meter.h"

#include <algorithm>
#include <limits>

// Jobs that have all they want cannot be violated, and a job violates only jobs above it: so at
// each moment the lowest priority that has something decides, and one pass over the jobs counts.
namespace dunlin::sim {

PlanMeter::Present* PlanMeter::find(const sched::JobId& job) {
  if (!measures_) return nullptr;
  const auto known = jobs_.find(job);
  return known == jobs_.end() ? nullptr : &known->second;
}

/// The share of jobs that have nothing while one of a lower priority has something. Requires that
/// there are jobs.
double PlanMeter::violation(std::uint32_t Present::* count) const {
  int lowest = std::numeric_limits<int>::max();
  for (const auto& [id, job] : jobs_) {
    if (job.*count > 0) lowest = std::min<int>(lowest, job.priority);
  }
  const auto violated = std::ranges::count_if(jobs_,
      [&](const auto& each) { return each.second.*count == 0 && each.second.priority > lowest; });
  return static_cast<double>(violated) / static_cast<double>(jobs_.size());
}

/// Before each change: what held since the last one is weighted by its time.
void PlanMeter::advance(Time now) {
  const double elapsed = std::chrono::duration<double>(now - counted_).count();
  if (elapsed <= 0) return;
  counted_ = now;
  if (jobs_.empty()) return;
  seconds_ += elapsed;
  by_plan_ += elapsed * violation(&Present::slots);
  by_running_ += elapsed * violation(&Present::running);
}

void PlanMeter::note(Time now, const sched::JobId& job, const Present& present) {
  changes_.push_back({.at = now, .job = job, .slots = present.slots, .running = present.running});
}

void PlanMeter::on_submit(
    Time now, const sched::JobId& job, std::uint32_t tasks, std::int16_t priority) {
  if (!measures_) return;
  advance(now);
  jobs_[job] = {.priority = priority, .left = tasks};
}

void PlanMeter::on_begin(Time now, const sched::JobId& job) {
  Present* present = find(job);
  if (present == nullptr) return;
  advance(now);
  ++present->running;
  note(now, job, *present);
}

void PlanMeter::on_cease(Time now, const sched::JobId& job, bool ended) {
  Present* present = find(job);
  if (present == nullptr || present->running == 0) return;
  advance(now);
  --present->running;
  if (ended && present->left > 0) --present->left;
  note(now, job, *present);
  // A job without tasks left needs no slots, and would count as one that is denied them.
  if (present->left == 0) jobs_.erase(job);
}

void PlanMeter::on_finish(Time now, const sched::JobId& job) {
  if (find(job) == nullptr) return;
  advance(now);
  jobs_.erase(job);
}

void PlanMeter::on_plan(Time now, const sched::SlotPlan& plan) {
  if (!measures_) return;
  advance(now);
  ++plans_;
  moved_ += plan.moved;
  for (const sched::JobPlan& each : plan.jobs) {
    Present* present = find(each.job);
    if (present == nullptr || present->slots == each.slots) continue;
    present->slots = each.slots;
    note(now, each.job, *present);
  }
}

PlanMeter::Result PlanMeter::result() const {
  Result result{.by_running = seconds_ > 0 ? by_running_ / seconds_ : 0,
      .plans = plans_,
      .moved = moved_,
      .preemptions = preemptions_};
  if (plans_ > 0) result.by_plan = seconds_ > 0 ? by_plan_ / seconds_ : 0;
  if (run_time_ > Duration{0}) {
    result.lost_share = static_cast<double>(lost_.count()) / static_cast<double>(run_time_.count());
  }
  return result;
}

PlanMeter::PerJob PlanMeter::per_job() const {
  PerJob mean;
  if (jobs_.empty()) return mean;
  for (const auto& [id, job] : jobs_) {
    mean.slots += job.slots;
    mean.running += job.running;
  }
  const auto jobs = static_cast<double>(jobs_.size());
  return {.slots = mean.slots / jobs, .running = mean.running / jobs};
}

}  // namespace dunlin::sim
