// SPDX-License-Identifier: MIT
#include "sched/worker/share/service_shares.h"

#include <algorithm>

#include "sched/ledger/service_name.h"
#include "sched/ledger/wide.h"

namespace dunlin::sched {
namespace {

/// The element of `service` in a list by service, made if there is none.
template <typename T>
T& at(std::vector<std::pair<ServiceId, T>>& list, ServiceId service) {
  const auto found = std::ranges::lower_bound(list, service, {}, &std::pair<ServiceId, T>::first);
  if (found != list.end() && found->first == service) return found->second;
  return list.insert(found, {service, T{}})->second;
}

Tickets bounded(Wide tickets) {
  return static_cast<Tickets>(std::clamp<Wide>(tickets, 0, kTicketsMax));
}

}  // namespace

ServiceId ServiceShares::class_of(ServiceId service) const {
  static const ServiceId kOthers = service_of("");
  const bool known =
      std::ranges::binary_search(tickets_, service, {}, &std::pair<ServiceId, Tickets>::first);
  return known ? service : kOthers;
}

void ServiceShares::set_tickets(Time now, std::vector<std::pair<ServiceId, Tickets>> tickets) {
  tickets_ = std::move(tickets);
  stride_.set_tickets(now, tickets_);
}

void ServiceShares::hold(Time now, ServiceId service, std::uint64_t part) {
  stride_.hold(now, class_of(service), part);
  meter_.start(now, class_of(service), part);
}

void ServiceShares::release(Time now, ServiceId service, std::uint64_t part) {
  stride_.release(now, class_of(service), part);
  meter_.stop(now, class_of(service), part);
}

void ServiceShares::ran(ServiceId service, Duration cpu) {
  at(cpu_, class_of(service)) += std::max(cpu, Duration{0});
}

std::vector<ServiceId> ServiceShares::classes_of(std::span<const ServiceId> services) const {
  std::vector<ServiceId> classes;
  for (const ServiceId service : services) classes.push_back(class_of(service));
  return classes;
}

void ServiceShares::contend(Time now, std::span<const ServiceId> services) {
  stride_.contend(now, classes_of(services));
}

Stride ServiceShares::standing(Time now, std::span<const ServiceId> services) const {
  Stride stride = stride_;
  stride.contend(now, classes_of(services));
  return stride;
}

std::vector<books::Use> ServiceShares::take(
    Time now, Tickets tickets, std::span<const std::pair<ServiceId, std::uint64_t>> need) {
  const auto period = (now - meter_.begun()).count();
  std::vector<std::pair<ServiceId, books::Use>> uses;
  const auto use_of = [&](ServiceId service) -> books::Use& {
    books::Use& use = at(uses, service);
    use.service = service;
    return use;
  };
  for (const auto& [service, used] : meter_.take(now, tickets)) use_of(service).used = used;
  std::vector<std::pair<ServiceId, std::uint64_t>> waiting;
  for (const auto& [service, part] : need) at(waiting, class_of(service)) += part;
  for (const auto& [service, part] : waiting) {
    const auto parts = std::min<std::uint64_t>(part, kWholeNode);
    use_of(service).need = bounded(Wide{tickets} * static_cast<Wide>(parts) / kWholeNode);
  }
  // A thousandth of a CPU for the period is a ticket.
  for (const auto& [service, time] : cpu_) {
    if (period > 0) use_of(service).cpu = bounded(Wide{time.count()} * 1000 / period);
  }
  if (period > 0) cpu_.clear();

  std::vector<books::Use> result;
  for (auto& [service, use] : uses) result.push_back(use);
  // One more class than a table can have: those that are in none.
  if (result.size() > books::Classes::kClassesMax) {
    std::erase_if(result, [&](const books::Use& use) {
      return !std::ranges::binary_search(
          tickets_, use.service, {}, &std::pair<ServiceId, Tickets>::first);
    });
  }
  return result;
}

}  // namespace dunlin::sched
