// SPDX-License-Identifier: MIT
#include "sched/plan/division.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

// A slot that changes its job may have a task to finish first, so movement costs. Each gift is
// drawn twice: freely, the fastest slots, and with those first that the job held before. The second
// draw is taken if it is nearly as good. The factor kWorthMoving says how good: without a bound on
// the throughput, as many slots which are at most a fifth slower; with a bound, both reach it, and
// the second may be a quarter more slots.
namespace dunlin::sched {
namespace {

/// Slots move if those that stay would be this part slower, or more in number by its inverse.
constexpr double kWorthMoving = 0.8;

double as_seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

std::vector<std::size_t> indices(std::size_t count) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

}  // namespace

Division::Division(std::span<const PlanWorker> workers,
    std::span<const PlanJob> jobs,
    std::span<const Allotment> held)
    : jobs_(jobs),
      pool_(workers),
      shares_(jobs.size(), {.given = pool_.none(), .held = pool_.none()}) {
  double sum = 0;
  std::size_t known = 0;
  std::map<JobId, std::size_t> job_of;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    job_of.emplace(jobs[i].job, i);
    if (jobs[i].task_time <= Duration{0}) continue;
    sum += as_seconds(jobs[i].task_time);
    ++known;
  }
  if (known > 0) usual_seconds_ = sum / static_cast<double>(known);
  std::map<PeerId, std::size_t> speed_of;
  for (std::size_t i = 0; i < workers.size(); ++i) {
    speed_of.emplace(workers[i].node, pool_.speed_of()[i]);
  }
  for (const Allotment& each : held) {
    const auto job = job_of.find(each.job);
    const auto speed = speed_of.find(each.node);
    if (job == job_of.end() || speed == speed_of.end()) continue;
    shares_[job->second].held[speed->second] += each.slots;
  }
}

void Division::give(std::size_t job, std::uint32_t max, double throughput) {
  give(job, max, throughput, pool_.speeds());
}

void Division::give_in_time(std::size_t job, Duration time) {
  WorthBySpeed worth;
  for (const double speed : pool_.speeds()) {
    const double tasks = as_seconds(time) * speed / task_seconds(job);
    worth.push_back(tasks < 1 ? tasks : std::floor(tasks * (1 + 1e-9)));
  }
  give(job, pool_.free(), jobs_[job].tasks_left - worth_of(shares_[job].given, worth), worth);
}

void Division::give(std::size_t job, std::uint32_t max, double enough, const WorthBySpeed& worth) {
  Share& share = shares_[job];
  const std::uint32_t room = jobs_[job].tasks_left - count(share.given);
  max = std::min(max, room);
  SlotsBySpeed slots = pool_.draw(max, enough, pool_.none(), worth);
  const double all = count(slots);
  const auto stay_max = std::min<double>(max, std::ceil(all / kWorthMoving));
  SlotsBySpeed stay = pool_.draw(static_cast<std::uint32_t>(stay_max), enough, share.held, worth);
  const double reached = std::min(worth_of(slots, worth), enough);
  // Where the worth has a bound both must reach it; else they are as many, and may be slower.
  const double needed = std::isinf(enough) ? kWorthMoving * reached : reached * (1 - 1e-9);
  if (worth_of(stay, worth) >= needed) slots = std::move(stay);
  pool_.take(slots);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    share.given[i] += slots[i];
    share.held[i] -= std::min(share.held[i], slots[i]);
  }
}

std::vector<std::size_t> Division::by_priority() const {
  auto order = indices(jobs_.size());
  std::ranges::stable_sort(
      order, std::ranges::greater{}, [this](std::size_t job) { return jobs_[job].priority; });
  return order;
}

std::vector<std::size_t> Division::by_deadline() const {
  auto order = indices(jobs_.size());
  std::ranges::stable_sort(order, std::ranges::less{},
      [this](std::size_t job) { return jobs_[job].time_left.value_or(Duration::max()); });
  return order;
}

double Division::task_seconds(std::size_t job) const {
  const Duration task_time = jobs_[job].task_time;
  return task_time > Duration{0} ? as_seconds(task_time) : usual_seconds_;
}

double Division::work_of(std::size_t job) const {
  return jobs_[job].tasks_left * task_seconds(job);
}

}  // namespace dunlin::sched
