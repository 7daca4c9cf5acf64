// SPDX-License-Identifier: MIT
#include "sched/worker/dispatch/planned_slots.h"

#include <algorithm>
#include <chrono>

#include "sched/plan/slot_width.h"

namespace dunlin::sched {
namespace {

/// A job that had all its slots is asked again after this time at the earliest: if its tasks are
/// short, each that ends here would ask in vain.
constexpr Duration kSatisfiedFor = std::chrono::seconds(1);

}  // namespace

void PlannedSlots::set(std::span<const cell::Allotted> allotted) {
  std::map<JobId, Slots> before;
  before.swap(slots_);
  for (const cell::Allotted& each : allotted) {
    if (each.slots == 0 && each.total == 0 && each.over == 0) continue;
    Slots& slots = slots_[each.job];
    const auto at = before.find(each.job);
    if (at != before.end()) {
      slots = at->second;
      if (each.total != slots.allotted.total) slots.satisfied_until = Time{};
    }
    slots.allotted = each;
  }
}

void PlannedSlots::recount(
    std::span<const RunningTask> running, std::span<const PendingRequest> asking) {
  for (auto& [job, slots] : slots_) slots.held = 0;
  const auto hold = [&](const JobId& job, const Resources& demand, std::uint32_t tasks) {
    const auto at = slots_.find(job);
    if (at != slots_.end()) at->second.held += slots_taken(demand) * tasks;
  };
  for (const RunningTask& each : running) {
    if (!each.suspended) hold(each.task.job, each.demand, 1);
  }
  for (const PendingRequest& each : asking) {
    const Reserve& reserve = each.reservation.reserve;
    hold(reserve.job, reserve.demand, each.room);
  }
}

std::uint32_t PlannedSlots::tasks_left(const Reserve& reserve) const {
  const auto at = slots_.find(reserve.job);
  if (at == slots_.end()) return 0;
  const Slots& slots = at->second;
  if (slots.is_satisfied() || slots.held >= slots.max()) return 0;
  return (slots.max() - slots.held) / slots_taken(reserve.demand);
}

std::optional<std::uint32_t> PlannedSlots::own_rank(const Reserve& reserve) const {
  const auto at = slots_.find(reserve.job);
  if (at == slots_.end() || at->second.held >= at->second.allotted.slots) return std::nullopt;
  return at->second.allotted.rank;
}

std::uint32_t PlannedSlots::total(const Reserve& reserve) const {
  return tasks_left(reserve) == 0 ? 0 : slots_.at(reserve.job).allotted.total;
}

void PlannedSlots::satisfy(const JobId& job, Time now) {
  const auto at = slots_.find(job);
  if (at != slots_.end()) at->second.satisfied_until = now + kSatisfiedFor;
}

void PlannedSlots::ask_again(Time now) {
  for (auto& [job, slots] : slots_) {
    if (slots.satisfied_until <= now) slots.satisfied_until = Time{};
  }
}

std::optional<std::uint32_t> PlannedSlots::rank(const Reserve& reserve) const {
  if (tasks_left(reserve) == 0) return std::nullopt;
  return slots_.at(reserve.job).allotted.rank;
}

std::uint32_t PlannedSlots::allotted(const JobId& job) const {
  const auto at = slots_.find(job);
  return at == slots_.end() ? 0 : at->second.allotted.slots;
}

std::map<JobId, std::uint32_t> PlannedSlots::beyond(std::span<const RunningTask> running) const {
  std::map<JobId, std::uint32_t> held;
  for (const RunningTask& each : running) {
    if (!each.killed && !each.suspended) held[each.task.job] += slots_taken(each.demand);
  }
  std::map<JobId, std::uint32_t> beyond;
  for (const auto& [job, count] : held) {
    const auto at = slots_.find(job);
    if (at == slots_.end()) continue;
    const cell::Allotted& given = at->second.allotted;
    const std::uint32_t here = count > given.slots ? count - given.slots : 0;
    if (const auto yields = std::min(here, given.over); yields > 0) beyond[job] = yields;
  }
  return beyond;
}

std::vector<cell::Allotted> PlannedSlots::lacking(
    const Queue& queue, std::span<const PendingRequest> asking) const {
  std::vector<cell::Allotted> lacking;
  for (const auto& each : slots_) {
    const JobId& job = each.first;
    const Slots& slots = each.second;
    if (slots.is_satisfied() || slots.held >= slots.max()) continue;
    const auto is_of_job = [&](const QueuedReservation& other) { return other.reserve.job == job; };
    if (std::ranges::any_of(queue.waiting(), is_of_job)) continue;
    if (std::ranges::any_of(asking, is_of_job, &PendingRequest::reservation)) continue;
    lacking.push_back(slots.allotted);
  }
  std::ranges::sort(lacking, {}, &cell::Allotted::rank);
  return lacking;
}

bool serves_before(const Discipline& discipline,
    const QueuedReservation& a,
    const QueuedReservation& b,
    const ServiceMoment& at) {
  for (const auto rank : {&PlannedSlots::rank, &PlannedSlots::own_rank}) {
    if (at.planned == nullptr) break;
    const auto first = (at.planned->*rank)(a.reserve);
    const auto second = (at.planned->*rank)(b.reserve);
    if (first.has_value() != second.has_value()) return first.has_value();
    if (first != second) return *first < *second;
  }
  return discipline.before(a, b, at);
}

}  // namespace dunlin::sched
