// SPDX-License-Identifier: MIT
#include "sched/worker/slots.h"

#include <algorithm>
#include <cmath>

#include "sched/constraints.h"
#include "sched/packing/rate_bits.h"
#include "sched/resources.h"
#include "sched/worker/share/class_shares.h"

// One long task keeps a slot for as long as hundreds of short ones would. Where long tasks may fill
// a node, short jobs wait behind them, and their delay grows a hundredfold. So a part of the CPUs,
// the express share, is for tasks that are shorter than a limit. The others may hold all CPUs but
// these. A node counts what long tasks hold when it changes, so a look at the queue costs one
// comparison for each reservation.
// A task that demands nothing still costs a process, two files and a directory. So the number of
// tasks is bounded, too. The bound is never below the number of CPUs: tasks of a CPU each do not
// meet it.
namespace dunlin::sched {
namespace {

/// The CPUs that a node keeps for short tasks, in milli-CPU: whole ones, as tasks want them. The
/// fraction that remains becomes a whole CPU on that fraction of the nodes, by chance of their ids.
std::uint32_t express_part(const WorkerParams& params, const NodeSpec& self) {
  const double cpus = params.express_share * self.total.cpu / 1000.0;
  std::uint64_t id = self.endpoint.id.value;
  const double chance = overlay::Rng(id).uniform();
  const double whole = std::floor(cpus) + (chance < cpus - std::floor(cpus) ? 1 : 0);
  return std::min(self.total.cpu, static_cast<std::uint32_t>(whole * 1000));
}

/// Calls `act` with each resource of `total` that has a limit.
void for_each_limited(const Resources& total, auto&& act) {
  for (const auto amount : kAmounts) {
    if (total.*amount != kUnlimited) act(amount);
  }
}

/// Moves what it can between `from` and `to`, until `to` is `wanted` of it.
void level(std::uint32_t& from, std::uint32_t& to, std::uint32_t wanted) {
  const std::uint32_t more = wanted > to ? std::min(wanted - to, from) : 0;
  const std::uint32_t less = wanted < to ? to - wanted : 0;
  to = to + more - less;
  from = from - more + less;
}

}  // namespace

Slots::Slots(const WorkerParams& params, const NodeSpec& self)
    : attributes_(self.attributes),
      total_(all_of(self.total)),
      free_(total_),
      express_limit_(params.express_limit),
      express_cpu_(express_part(params, self)),
      tasks_max_(std::max<std::uint32_t>(params.tasks_max, self.total.cpu / 1000)) {}

Load Slots::load(std::size_t queued) const {
  return {.cpu_free = closed() ? 0 : free_.cpu,
      .memory_free = closed() ? 0 : free_.memory,
      .queued = static_cast<std::uint32_t>(queued),
      .rates_used = rates_used_bits(free_, total_)};
}

Resources Slots::free_for_all() const {
  Resources room = usable_by(Duration::max());
  if (closed() || tasks_ >= tasks_max_) room.cpu = 0;
  return room;
}

std::optional<BounceReason> Slots::unfit(const Reserve& reserve) const {
  if (!fits(reserve.demand, total_)) return BounceReason::never_fits;
  if (is_long(reserve.task_time) && reserve.demand.cpu > long_cpu_max()) {
    return BounceReason::express;
  }
  if (!satisfies_all(attributes_, reserve.constraints)) return BounceReason::constraint;
  if (draining_) return BounceReason::draining;
  if (sick_) return BounceReason::sick;
  return std::nullopt;
}

Fit Slots::fit(const Reserve& reserve) const {
  if (tasks_ >= tasks_max_ || !fits(reserve.demand, free_)) return Fit::no;
  return fits(reserve.demand, usable_by(reserve.task_time)) ? Fit::yes : Fit::barred;
}

std::uint32_t Slots::room_for(const Reserve& reserve, std::uint32_t limit) const {
  return how_many_fit(reserve.demand, usable_by(reserve.task_time), std::min(limit, places()));
}

std::uint64_t Slots::part(const Resources& demand) const {
  return dominant_part(demand, total_);
}

/// The free resources, less the express share if a task of this length must keep out of it. Only
/// long tasks count against their bound: short ones may hold more than the share, and then long
/// ones find less free.
Resources Slots::usable_by(Duration task_time) const {
  Resources room = free_;
  if (express_cpu_ == 0 || !is_long(task_time)) return room;
  room.cpu = std::min(room.cpu, long_cpu_ < long_cpu_max() ? long_cpu_max() - long_cpu_ : 0);
  return room;
}

void Slots::end_task(Resources& relief) {
  relieve(relief, {});
  if (wanted_background_ != background_) set_background(Resources(wanted_background_));
}

void Slots::set_background(const Resources& wanted) {
  wanted_background_ = wanted;
  for_each_limited(total_, [&](std::uint32_t Resources::* amount) {
    level(free_.*amount, background_.*amount, std::min(wanted.*amount, total_.*amount));
  });
}

void Slots::relieve(Resources& relief, const Resources& wanted) {
  for_each_limited(total_, [&](std::uint32_t Resources::* amount) {
    const std::uint32_t before = relief.*amount;
    const std::uint32_t after = wanted.*amount;
    const std::uint32_t back = before > after ? std::min(before - after, free_.*amount) : 0;
    const std::uint32_t more = after > before ? after - before : 0;
    relief.*amount = before + more - back;
    free_.*amount += more;
    free_.*amount -= back;
  });
}

void Slots::hold(Time now, const Footprint& task, std::uint32_t count) {
  take(free_, task.demand, count);
  tasks_ += count;
  if (is_long(task.task_time)) long_cpu_ += task.demand.cpu * count;
  if (shares_ != nullptr) shares_->hold(now, task.class_id, part(task.demand) * count);
}

void Slots::release(Time now, const Footprint& task, std::uint32_t count) {
  give(free_, task.demand, count);
  ensure(tasks_ >= count, "more tasks end than there are");
  tasks_ -= count;
  if (is_long(task.task_time)) {
    ensure(long_cpu_ >= task.demand.cpu * count, "long tasks release more than they hold");
    long_cpu_ -= task.demand.cpu * count;
  }
  if (shares_ != nullptr) shares_->release(now, task.class_id, part(task.demand) * count);
}

}  // namespace dunlin::sched
