// SPDX-License-Identifier: MIT
#include "sched/cell/usage_meter.h"

#include <algorithm>

#include "sched/cell/wide.h"

namespace dunlin::sched {
UsageMeter::Class& UsageMeter::of(ServiceId service) {
  const auto at = std::ranges::lower_bound(classes_, service, {}, &Class::service);
  if (at != classes_.end() && at->service == service) return *at;
  return *classes_.insert(at, {.service = service});
}

void UsageMeter::count(Time now) {
  ensure(now >= counted_, "time goes back");
  for (Class& each : classes_) {
    each.occupied += static_cast<std::int64_t>(each.share) * (now - counted_).count();
  }
  counted_ = now;
}

void UsageMeter::start(Time now, ServiceId service, std::uint32_t share) {
  count(now);
  of(service).share += share;
}

void UsageMeter::stop(Time now, ServiceId service, std::uint32_t share) {
  count(now);
  Class& stopped = of(service);
  ensure(stopped.share >= share, "a task leaves more than it took");
  stopped.share -= share;
}

std::vector<std::pair<ServiceId, Tickets>> UsageMeter::take(Time now, Tickets tickets) {
  count(now);
  std::vector<std::pair<ServiceId, Tickets>> usage;
  const Wide whole = Wide{(now - begun_).count()} * 1000;
  for (Class& each : classes_) {
    if (whole > 0 && each.occupied > 0) {
      const Wide used = (Wide{each.occupied} * tickets + whole / 2) / whole;
      usage.emplace_back(each.service, static_cast<Tickets>(used));
    }
    each.occupied = 0;
  }
  std::erase_if(classes_, [](const Class& each) { return each.share == 0; });
  begun_ = now;
  return usage;
}

}  // namespace dunlin::sched
