// SPDX-License-Identifier: MIT
#include "sched/cell/stride.h"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "sched/cell/wide.h"
#include "sched/resources.h"

namespace dunlin::sched {
namespace {

/// Pass per thousandth of the node, microsecond and ticket.
constexpr std::int64_t kScale = 1024;
/// No charge and no pass grows beyond; passes are moved back long before.
constexpr std::int64_t kChargeMax = std::int64_t{1} << 60;
constexpr std::int64_t kRebaseAt = kChargeMax / 4;
/// Whoever has fewer tickets than one part in so many of all is served as if it had as many.
constexpr Tickets kLeastShare = 100;

std::int64_t clamped(Wide value) {
  if (value > kChargeMax) return kChargeMax;
  if (value < -kChargeMax) return -kChargeMax;
  return static_cast<std::int64_t>(value);
}

std::uint32_t share_of(std::uint64_t demand, std::uint64_t total) {
  if (demand == 0) return 0;
  constexpr std::uint64_t kMost = 1'000'000;
  if (total == 0) return kMost;
  return static_cast<std::uint32_t>(std::min(kMost, (demand * 1000 + total - 1) / total));
}

}  // namespace

std::uint32_t dominant_share(const Resources& demand, const Resources& total) {
  std::uint32_t share =
      std::max(share_of(demand.cpu, total.cpu), share_of(demand.memory, total.memory));
  for (const Amount& amount : demand.custom) {
    share = std::max(share, share_of(amount.count, amount_of(total, amount.name)));
  }
  return share;
}

Stride::Class* Stride::find(ServiceId service) {
  const auto at = std::ranges::lower_bound(classes_, service, {}, &Class::service);
  return at != classes_.end() && at->service == service ? &*at : nullptr;
}

const Stride::Class* Stride::find(ServiceId service) const {
  const auto at = std::ranges::lower_bound(classes_, service, {}, &Class::service);
  return at != classes_.end() && at->service == service ? &*at : nullptr;
}

Stride::Class& Stride::of(ServiceId service) {
  if (Class* known = find(service)) return *known;
  const auto at = std::ranges::lower_bound(classes_, service, {}, &Class::service);
  return *classes_.insert(at, {.service = service, .tickets = 0, .pass = global_});
}

Tickets Stride::weight(const Class& weighed) const {
  return std::max({Tickets{1}, weighed.tickets, sum_ / kLeastShare});
}

void Stride::set_tickets(std::span<const std::pair<ServiceId, Tickets>> tickets) {
  for (const auto& [service, count] : tickets) of(service);
  std::vector<Tickets> before;
  for (Class& each : classes_) {
    before.push_back(weight(each));
    each.tickets = 0;
  }
  sum_ = 0;
  for (const auto& [service, count] : tickets) {
    ensure(count >= 0 && count <= kTicketsMax, "tickets out of bounds");
    of(service).tickets = count;
    sum_ += count;
  }
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    Class& each = classes_[i];
    each.pass = global_ + clamped(Wide{each.pass - global_} * before[i] / weight(each));
  }
}

std::optional<ServiceId> Stride::next(std::span<const ServiceId> waiting) {
  std::erase_if(classes_, [&](const Class& each) {
    return each.tickets == 0 && each.pass <= global_ &&
        std::ranges::find(waiting, each.service) == waiting.end();
  });
  for (Class& each : classes_) {
    each.waited = each.waiting;
    each.waiting = false;
  }
  const Class* best = nullptr;
  for (const ServiceId service : waiting) of(service);  // Before any of them is pointed to.
  for (const ServiceId service : waiting) {
    Class& each = of(service);
    each.waiting = true;
    if (!each.waited) each.pass = std::max(each.pass, global_);
    const bool better = best == nullptr || each.pass < best->pass ||
        (each.pass == best->pass && each.service < best->service);
    if (better) best = &each;
  }
  return best == nullptr ? std::nullopt : std::optional(best->service);
}

void Stride::start(ServiceId service, std::uint32_t share, Duration estimate) {
  Class& started = of(service);
  global_ = std::max(global_, started.pass);
  charge(started, share, estimate);
  rebase();
}

void Stride::finish(ServiceId service, std::uint32_t share, Duration estimate, Duration actual) {
  charge(of(service), share, actual - estimate);
}

void Stride::charge(Class& charged, std::uint32_t share, Duration time) {
  const auto microseconds = std::chrono::duration_cast<std::chrono::microseconds>(time).count();
  const Wide cost = Wide{microseconds} * share * kScale / weight(charged);
  charged.pass = clamped(Wide{charged.pass} + clamped(cost));
}

// Only differences count.
void Stride::rebase() {
  if (global_ < kRebaseAt) return;
  for (Class& each : classes_) each.pass -= global_;
  global_ = 0;
}

Tickets Stride::tickets(ServiceId service) const {
  const Class* known = find(service);
  return known == nullptr ? 0 : known->tickets;
}

std::int64_t Stride::lead(ServiceId service) const {
  const Class* known = find(service);
  return known == nullptr ? 0 : known->pass - global_;
}

}  // namespace dunlin::sched
