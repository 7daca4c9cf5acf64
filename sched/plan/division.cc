// SPDX-License-Identifier: MIT
#include "sched/plan/division.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "sched/plan/whole_tasks.h"

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

SlotsBySpeed sum(SlotsBySpeed slots, const SlotsBySpeed& others) {
  for (std::size_t i = 0; i < slots.size(); ++i) slots[i] += others[i];
  return slots;
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
  const WorthBySpeed worth = whole_tasks_of(job, time, jobs_[job].ran);
  const double enough = jobs_[job].tasks_left - worth_of(shares_[job].given, worth);
  double missed = 0;
  for (;;) {
    const SlotsBySpeed slots = chosen(job, pool_.free(), enough + missed, worth);
    const double misses = missed_by(job, sum(shares_[job].given, slots), time);
    if (misses <= missed || count(slots) == pool_.free()) return take(job, slots);
    missed = misses;
  }
}

bool Division::ends_in_time(std::size_t job) const {
  const auto& time = jobs_[job].time_left;
  if (!time || *time <= Duration{0}) return false;
  const SlotsBySpeed& slots = shares_[job].given;
  const double tasks = worth_of(slots, whole_tasks_of(job, *time, jobs_[job].ran));
  return tasks - missed_by(job, slots, *time) >= jobs_[job].tasks_left;
}

// The slots that the job holds are in the midst of a task. In others it begins one.
double Division::missed_by(std::size_t job, const SlotsBySpeed& slots, Duration time) const {
  const double all = count(slots);
  const double fresh = all - std::min<double>(all, jobs_[job].running);
  if (fresh == 0) return 0;
  const WorthBySpeed midway = whole_tasks_of(job, time, jobs_[job].ran);
  const WorthBySpeed anew = whole_tasks_of(job, time, Duration{0});
  return (worth_of(slots, midway) - worth_of(slots, anew)) * fresh / all;
}

WorthBySpeed Division::whole_tasks_of(std::size_t job, Duration time, Duration ran) const {
  WorthBySpeed tasks;
  for (const double speed : pool_.speeds()) {
    tasks.push_back(whole_tasks(time, ran, speed, task_seconds(job)));
  }
  return tasks;
}

void Division::give(std::size_t job, std::uint32_t max, double enough, const WorthBySpeed& worth) {
  take(job, chosen(job, max, enough, worth));
}

SlotsBySpeed Division::chosen(
    std::size_t job, std::uint32_t max, double enough, const WorthBySpeed& worth) const {
  const Share& share = shares_[job];
  const std::uint32_t room = jobs_[job].tasks_left - count(share.given);
  max = std::min(max, room);
  SlotsBySpeed slots = pool_.draw(max, enough, pool_.none(), worth);
  const double all = count(slots);
  const auto stay_max = std::min<double>(max, std::ceil(all / kWorthMoving));
  SlotsBySpeed stay = pool_.draw(static_cast<std::uint32_t>(stay_max), enough, share.held, worth);
  const double reached = std::min(worth_of(slots, worth), enough);
  // Where the worth has a bound both must reach it; else they are as many, and may be slower.
  const double needed = std::isinf(enough) ? kWorthMoving * reached : reached * (1 - 1e-9);
  return worth_of(stay, worth) >= needed ? stay : slots;
}

void Division::take(std::size_t job, const SlotsBySpeed& slots) {
  Share& share = shares_[job];
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
