// SPDX-License-Identifier: MIT
#include "sched/worker/share/stride.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>

#include "sched/ledger/wide.h"
#include "sched/resources.h"

// Stride scheduling, in real time and by what is held. Each class has a pass, which grows with
// (what it holds) × (time) / (its tickets). If the class with the smallest pass always runs next,
// all passes grow at the same pace, so what classes hold is in proportion to their tickets. A class
// contends while it wants to run: while reservations of its jobs wait here.
//
// Virtual time is the pass of the class that was served last. A class that comes back starts there:
// neither owed for its absence, nor in debt for what it held while it was alone. Passes are
// integers, so a node computes the same on every machine.
namespace dunlin::sched {
namespace {

using std::chrono::microseconds;

/// The weight of all tickets together. Pass is millionths × microseconds / share of this.
constexpr std::int64_t kWeightOfAll = 1 << 20;
/// A class weighs a hundredth of all, even if it has fewer tickets.
constexpr std::int64_t kWeightMin = kWeightOfAll / 100;
/// No pass grows beyond; passes are moved back long before.
constexpr std::int64_t kPassMax = std::int64_t{1} << 62;
constexpr std::int64_t kRebaseAt = kPassMax / 16;
/// A class that wants to run may wait long for a resource that others need less. It is owed the
/// whole node for this time and no longer; otherwise all others would stand still when its turn
/// comes.
constexpr microseconds kOwedMax = std::chrono::minutes(1);

std::int64_t clamped(Wide value) {
  if (value > kPassMax) return kPassMax;
  if (value < -kPassMax) return -kPassMax;
  return static_cast<std::int64_t>(value);
}

std::int64_t cost(std::uint64_t part, microseconds time, std::int64_t weight) {
  return clamped(Wide{time.count()} * static_cast<Wide>(part) * kWeightOfAll / weight);
}

std::uint32_t part_of(std::uint64_t demand, std::uint64_t total) {
  if (demand == 0) return 0;
  constexpr std::uint64_t kPartMax = 1000 * std::uint64_t{kWholeNode};
  if (total == 0) return kPartMax;
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>((demand * kWholeNode + total / 2) / total, 1, kPartMax));
}

}  // namespace

std::uint32_t dominant_part(const Resources& demand, const Resources& total) {
  std::uint32_t part =
      std::max(part_of(demand.cpu, total.cpu), part_of(demand.memory, total.memory));
  for (const Rate& rate : kRates) {
    const std::uint32_t all = total.*rate.amount;
    if (all == 0 || all == kUnlimited) continue;  // Not declared: no part of anything.
    part = std::max(part, part_of(demand.*rate.amount, all));
  }
  for (const Amount& amount : demand.custom) {
    part = std::max(part, part_of(amount.count, amount_of(total, amount.name)));
  }
  return part;
}

Stride::Class* Stride::find(ClassId class_id) {
  const auto at = std::ranges::lower_bound(classes_, class_id, {}, &Class::class_id);
  return at != classes_.end() && at->class_id == class_id ? &*at : nullptr;
}

const Stride::Class* Stride::find(ClassId class_id) const {
  const auto at = std::ranges::lower_bound(classes_, class_id, {}, &Class::class_id);
  return at != classes_.end() && at->class_id == class_id ? &*at : nullptr;
}

Stride::Class& Stride::of(ClassId class_id) {
  const auto at = std::ranges::lower_bound(classes_, class_id, {}, &Class::class_id);
  if (at != classes_.end() && at->class_id == class_id) return *at;
  return *classes_.insert(at, {.class_id = class_id, .pass = virtual_time_});
}

std::int64_t Stride::weight(Tickets tickets) const {
  if (sum_ == 0) return kWeightOfAll;
  const auto share = static_cast<std::int64_t>(Wide{tickets} * kWeightOfAll / sum_);
  return std::max(share, kWeightMin);
}

void Stride::advance(Time now) {
  const auto time = std::chrono::duration_cast<microseconds>(now - settled_);
  if (time <= microseconds{0}) return;
  settled_ += time;
  std::optional<std::int64_t> smallest;  // Among classes that wanted to run.
  std::int64_t largest = virtual_time_;  // Among classes that ran.
  for (Class& each : classes_) {
    each.pass = clamped(Wide{each.pass} + cost(each.held, time, weight(each.tickets)));
    if (each.contends) smallest = std::min(smallest.value_or(kPassMax), each.pass);
    if (each.held > 0) largest = std::max(largest, each.pass);
  }
  // A class that ran while no other wanted to owes nothing: virtual time catches up with it.
  virtual_time_ = std::max(virtual_time_, smallest.value_or(largest));
  for (Class& each : classes_) {
    if (!each.contends) continue;
    const auto owed_max = cost(kWholeNode, kOwedMax, weight(each.tickets));
    each.pass = std::max(each.pass, virtual_time_ - owed_max);
  }
  rebase();
}

void Stride::set_tickets(Time now, std::span<const std::pair<ClassId, Tickets>> tickets) {
  advance(now);
  for (const auto& [class_id, count] : tickets) of(class_id);
  std::vector<std::int64_t> before;
  for (Class& each : classes_) {
    before.push_back(weight(each.tickets));
    each.tickets = 0;
  }
  sum_ = 0;
  for (const auto& [class_id, count] : tickets) {
    ensure(count >= 0 && count <= kTicketsMax, "tickets out of bounds");
    of(class_id).tickets = count;
    sum_ += count;
  }
  // A lead was paid at the old weight. It keeps its worth in time, so that a change of tickets
  // takes effect at once.
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    Class& each = classes_[i];
    const Wide lead = Wide{each.pass - virtual_time_} * before[i] / weight(each.tickets);
    each.pass = clamped(virtual_time_ + lead);
  }
  forget_the_idle();
}

void Stride::hold(Time now, ClassId class_id, std::uint64_t part) {
  advance(now);
  of(class_id).held += part;
}

void Stride::release(Time now, ClassId class_id, std::uint64_t part) {
  advance(now);
  Class& released = of(class_id);
  ensure(released.held >= part, "a class releases more than it holds");
  released.held -= part;
}

void Stride::contend(Time now, std::span<const ClassId> class_ids) {
  advance(now);
  for (const ClassId class_id : class_ids) of(class_id);
  for (Class& each : classes_) {
    const bool contends = std::ranges::find(class_ids, each.class_id) != class_ids.end();
    if (contends && !each.contends) each.pass = std::max(each.pass, virtual_time_);
    each.contends = contends;
  }
  forget_the_idle();
}

// A class that holds nothing, wants nothing and owes nothing is as good as new.
void Stride::forget_the_idle() {
  std::erase_if(classes_, [&](const Class& each) {
    return each.tickets == 0 && each.held == 0 && !each.contends && each.pass <= virtual_time_;
  });
}

void Stride::serve(ClassId class_id) {
  const Class* served = find(class_id);
  ensure(served != nullptr && served->contends, "a class is served that wants nothing");
  virtual_time_ = std::max(virtual_time_, served->pass);
}

void Stride::expect(ClassId class_id, std::uint64_t part, Duration time) {
  Class& charged = of(class_id);
  const auto whole = std::chrono::duration_cast<microseconds>(time);
  charged.pass = clamped(Wide{charged.pass} + cost(part, whole, weight(charged.tickets)));
}

// Only differences of passes count, so all may be moved back by the same amount.
void Stride::rebase() {
  if (virtual_time_ < kRebaseAt) return;
  for (Class& each : classes_) each.pass -= virtual_time_;
  virtual_time_ = 0;
}

std::int64_t Stride::pass(ClassId class_id) const {
  const Class* known = find(class_id);
  return known == nullptr ? virtual_time_ : known->pass;
}

std::uint64_t Stride::held(ClassId class_id) const {
  const Class* known = find(class_id);
  return known == nullptr ? 0 : known->held;
}

Tickets Stride::tickets(ClassId class_id) const {
  const Class* known = find(class_id);
  return known == nullptr ? 0 : known->tickets;
}

double Stride::portion(ClassId class_id) const {
  return static_cast<double>(weight(tickets(class_id))) / static_cast<double>(kWeightOfAll);
}

}  // namespace dunlin::sched
