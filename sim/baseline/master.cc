// SPDX-License-Identifier: MIT
#include "sim/baseline/master.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "overlay/ensure.h"
#include "sim/clock.h"
#include "sim/workload/workload.h"

// The plan says how many slots each job has, and where. A slot is free when its task ends, and the
// master fills it for a job that has fewer tasks than slots, if it can with the one whose slot it
// is by plan. So no slot is idle while a task waits: if one is, all slots together are more than
// all tasks that run, and a job lacks one. What comes at the same moment is planned once, a
// nanosecond later: a batch is one decision.
namespace dunlin::sim {
namespace {

// Node 0 means none.
sched::PeerId node_of(std::uint32_t machine) {
  return {machine + 1};
}

/// Takes from each job what it does not need.
/// Plans leave no slot idle while a job can use it. Without spare slots, each job keeps only what
/// its policy wanted for it.
void drop_spare(sched::SlotPlan& plan) {
  std::map<sched::JobId, std::uint32_t> needs;
  for (sched::JobPlan& each : plan.jobs) needs[each.job] = each.slots = each.need;
  for (sched::Allotment& each : plan.allotments) {
    each.slots = std::min(each.slots, needs[each.job]);
    needs[each.job] -= each.slots;
  }
  std::erase_if(plan.allotments, [](const sched::Allotment& each) { return each.slots == 0; });
}

std::uint32_t machine_of(const sched::PeerId& node) {
  return static_cast<std::uint32_t>(node.value - 1);
}

}  // namespace

Master::Master(const Options& options, Recorder& recorder)
    : Baseline(options, recorder),
      plan_params_(plan_of(options.params)),
      // Earliest deadline first has a name with preemption and one without; other policies have a
      // switch.
      preempts_(options.params.scheduler == Scheduler::edf_preempt ||
          (options.params.scheduler == Scheduler::master && options.params.preempt)),
      by_speed_(machines()) {
  for (std::uint32_t i = 0; i < machines(); ++i) {
    // The bound only ends the count for tasks that demand nothing, which fit without end.
    slots_.push_back(
        static_cast<std::uint32_t>(sched::how_many_fit(options.demand, total(i), 1 << 20)));
  }
  slots_up_ = free_ = slots_;
  std::iota(by_speed_.begin(), by_speed_.end(), 0u);
  std::ranges::stable_sort(
      by_speed_, std::ranges::greater{}, [this](std::uint32_t machine) { return speed(machine); });
}

void Master::place(const PlacedJob& job) {
  auto& claim = *claims_.emplace_back(std::make_unique<Claim>());
  claim.job = job;
  claim.attempts.resize(job->job.task_count());
  for (std::uint32_t i = 0; i < job->job.task_count(); ++i) claim.waiting.push_back(i);
  plan_soon();
}

void Master::on_end(std::uint32_t machine, const Work& work, Duration ran) {
  const auto claim =
      std::ranges::find_if(claims_, [&](const auto& each) { return each->job == work.job; });
  ensure(claim != claims_.end(), "a task that ends and is of no job");
  std::erase_if((*claim)->running, [&](const Attempt& each) { return each.index == work.index; });
  // Without the time to start it and as on a machine of speed 1, so that times of all machines can
  // be one sample.
  (*claim)->times.ended(at_speed(ran - params().start_time, 1 / speed(machine)));
  ++free_[machine];
  if (work.job->left == 0) claims_.erase(claim);
}

void Master::crash(std::uint32_t machine) {
  for (const auto& claim : claims_) {
    // Backwards, as requeue() takes them out.
    for (std::size_t i = claim->running.size(); i-- > 0;) {
      if (claim->running[i].machine != machine) continue;
      const std::uint32_t index = claim->running[i].index;
      stop(machine, {.job = claim->job, .index = index});
      recorder().on(now(),
          sched::TaskLost{.job = claim->job->id(),
              .index = index,
              .attempt = claim->attempts[index],
              .worker = node_of(machine)});
      requeue(*claim, i);
    }
  }
  // After the loop, in which requeue() counts the slots of the lost tasks as free.
  slots_[machine] = free_[machine] = 0;
  plan_soon();
}

void Master::restart(std::uint32_t machine) {
  // It never was down, or is back already: its tasks go on.
  if (slots_[machine] > 0) return;
  slots_[machine] = free_[machine] = slots_up_[machine];
  plan_soon();
}

void Master::requeue(Claim& claim, std::size_t attempt) {
  const Attempt over = claim.running[attempt];
  claim.running.erase(claim.running.begin() + static_cast<std::ptrdiff_t>(attempt));
  // First: it has waited longer than any other task of its job.
  claim.waiting.push_front(over.index);
  ++free_[over.machine];
}

void Master::plan_soon() {
  dirty_ = true;
  if (!std::exchange(pending_, true)) plan_after_others();
}

void Master::plan_after_others() {
  schedule(Duration{0}, [this] {
    // Something came after the event was set: it goes behind that, so the plan sees all of this
    // moment.
    if (std::exchange(dirty_, false)) return plan_after_others();
    pending_ = false;
    plan();
  });
}

sched::PlanJob Master::claim_of(const Claim& claim) const {
  const sched::Job& job = claim.job->job;
  const sched::TaskGroup& group = job.groups.front();
  sched::PlanJob wanted{.job = job.id,
      .priority = group.priority,
      .tasks_left = claim.job->left,
      .task_time = group.duration,
      .running = static_cast<std::uint32_t>(claim.running.size())};
  if (job.deadline) wanted.time_left = claim.job->submitted + *job.deadline - now();
  // The youngest, since the plan is told how long each of them has run at least.
  if (!claim.running.empty()) wanted.ran = now() - claim.running.back().begin;
  if (group.duration > Duration{0}) return wanted;
  std::vector<Duration> ages;
  for (const Attempt& each : claim.running) {
    ages.push_back(at_speed(now() - each.begin, 1 / speed(each.machine)));
  }
  wanted.task_time = claim.times.estimate(std::move(ages)).value_or(params().task_time);
  return wanted;
}

void Master::plan() {
  std::vector<sched::PlanWorker> workers;
  for (std::uint32_t i = 0; i < machines(); ++i) {
    if (slots_[i] == 0) continue;
    workers.push_back({.node = node_of(i), .slots = slots_[i], .speed = speed(i)});
  }
  std::vector<sched::PlanJob> jobs;
  for (const auto& claim : claims_) jobs.push_back(claim_of(*claim));
  sched::SlotPlan plan = sched::plan_slots(plan_params_, workers, jobs, held_);
  if (params().scheduler == Scheduler::master && params().spare == MasterSpare::none) {
    drop_spare(plan);
  }
  recorder().plans().on_plan(now(), plan);
  adopt(plan);
  // First what is free, then what must be taken away: a task is preempted only for want of a free
  // slot.
  fill();
  if (!preempts_) return;
  make_room();
  fill();
}

void Master::adopt(const sched::SlotPlan& plan) {
  // Plans are numbers of slots; `lacking` turns them into moves: where this job should have more
  // tasks than run there.
  held_ = plan.allotments;
  std::map<sched::JobId, Claim*> claims;
  for (std::size_t i = 0; i < claims_.size(); ++i) {
    Claim& claim = *claims_[i];
    // Plans name jobs in the order in which plan() gave them, which is that of the claims.
    claim.plan = plan.jobs[i];
    claim.lacking.clear();
    // Below 0 where more run than the plan has there: such a machine lacks nothing of it.
    for (const Attempt& each : claim.running) --claim.lacking[each.machine];
    claims.emplace(claim.job->id(), &claim);
  }
  for (const sched::Allotment& each : held_) {
    claims.at(each.job)->lacking[machine_of(each.node)] += static_cast<int>(each.slots);
  }
}

Master::Order Master::by_priority() {
  Order order;
  for (const auto& claim : claims_) order.push_back(claim.get());
  // Stable: claims stand in the order of submission, which decides between equals.
  std::ranges::stable_sort(order, std::ranges::greater{}, &Claim::priority);
  return order;
}

Master::Order Master::by_spare() {
  const bool by_deadline = plan_params_.spare == sched::SpareRule::deadline ||
      plan_params_.policy == sched::PlanPolicyName::assured;
  if (!by_deadline) return by_priority();
  Order order = by_priority();
  std::ranges::stable_sort(order, {}, [](const Claim* claim) {
    const auto& deadline = claim->job->job.deadline;
    if (!deadline) return Duration::max();
    return claim->job->submitted + *deadline - Time{};
  });
  return order;
}

void Master::fill() {
  // Each job that comes to a full cluster leads here: the others are not sorted for nothing.
  if (std::ranges::all_of(free_, [](std::uint32_t slots) { return slots == 0; })) return;
  switch (plan_params_.policy) {
    case sched::PlanPolicyName::edf:
      break;
    case sched::PlanPolicyName::assured:
      // One slot each comes before anything else, so that no job is passed over for one of lower
      // priority. See docs/design/plans.md.
      for (Claim* claim : by_priority()) start_up_to(*claim, std::min(claim->plan.slots, 1u));
      break;
    default:
      for (Claim* claim : by_priority()) start_up_to(*claim, claim->plan.need);
  }
  for (Claim* claim : by_spare()) start_up_to(*claim, claim->plan.slots);
}

std::optional<std::uint32_t> Master::free_slot(const Claim& claim) const {
  std::optional<std::uint32_t> fastest;
  // Its own slot by plan, or else the fastest free one.
  for (const std::uint32_t machine : by_speed_) {
    if (free_[machine] == 0) continue;
    const auto own = claim.lacking.find(machine);
    if (own != claim.lacking.end() && own->second > 0) return machine;
    if (!fastest) fastest = machine;
  }
  return fastest;
}

void Master::start_up_to(Claim& claim, std::uint32_t slots) {
  while (claim.wants(slots)) {
    const auto machine = free_slot(claim);
    if (!machine) return;
    const std::uint32_t index = claim.waiting.front();
    claim.waiting.pop_front();
    --free_[*machine];
    --claim.lacking[*machine];
    claim.running.push_back({.machine = *machine, .index = index, .begin = now()});
    start(*machine, {.job = claim.job, .index = index, .attempt = ++claim.attempts[index]}, now(),
        params().start_time);
  }
}

void Master::make_room() {
  // As many tasks are stopped as others can use at once: a slot that is taken away and has no task
  // to run is work lost for nothing.
  std::size_t wanted = 0;
  for (const auto& claim : claims_) {
    if (!claim->wants(claim->plan.slots)) continue;
    wanted += std::min(claim->plan.slots - claim->running.size(), claim->waiting.size());
  }
  Order order = by_priority();
  // Of equal priority the one submitted last yields first.
  for (auto victim = order.rbegin(); victim != order.rend() && wanted > 0; ++victim) {
    Claim& claim = **victim;
    while (wanted > 0 && claim.running.size() > claim.plan.slots) {
      // It loses less work than any other.
      const Attempt youngest = claim.running.back();
      recorder().plans().on_preemption(
          stop(youngest.machine, {.job = claim.job, .index = youngest.index}));
      requeue(claim, claim.running.size() - 1);
      --wanted;
    }
  }
}

}  // namespace dunlin::sim
