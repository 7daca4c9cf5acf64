// SPDX-License-Identifier: MIT
#include "sched/plan/plan.h"

#include "sched/plan/division.h"
#include "sched/plan/policy/policy.h"
#include "sched/plan/reallocation.h"

// Three steps. The policy gives each job what it needs; the spare rule gives the rest to jobs that
// can use it; then numbers of slots become slots of nodes, and as few as possible change their job.
namespace dunlin::sched {
namespace {

/// To each in full: a job that ends sooner frees all its slots for the next.
void give_spare(SpareRule rule, Division& division) {
  const auto order = rule == SpareRule::priority ? division.by_priority() : division.by_deadline();
  for (const std::size_t job : order) division.give_all(job);
}

std::optional<Duration> slack_of(const Division& division, std::size_t job) {
  const auto& left = division.jobs()[job].time_left;
  const double throughput = division.pool().throughput(division.slots_of(job));
  if (!left || throughput <= 0) return std::nullopt;
  const std::chrono::duration<double> takes(division.work_of(job) / throughput);
  if (takes > std::chrono::duration<double>(kTaskTimeMax)) return *left - kTaskTimeMax;
  return *left - std::chrono::duration_cast<Duration>(takes);
}

}  // namespace

SlotPlan plan_slots(const PlanParams& params,
    std::span<const PlanWorker> workers,
    std::span<const PlanJob> jobs,
    std::span<const Allotment> held) {
  Division division(workers, jobs, held);
  make_plan_policy(params)->divide(division);
  SlotPlan plan;
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    plan.jobs.push_back({.job = jobs[job].job, .need = count(division.slots_of(job))});
  }
  give_spare(params.spare, division);
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    plan.jobs[job].slots = count(division.slots_of(job));
    plan.jobs[job].throughput = division.pool().throughput(division.slots_of(job));
    plan.jobs[job].in_time = division.ends_in_time(job);
    plan.jobs[job].slack = slack_of(division, job);
  }
  plan.allotments = reallocate(division, workers, held, plan.moved);
  return plan;
}

}  // namespace dunlin::sched
