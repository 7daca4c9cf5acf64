// SPDX-License-Identifier: MIT
#include "sched/worker/share/usage_meter.h"

#include <algorithm>

#include "sched/worker/share/stride.h"

// An average over a period is an integral divided by time. Whenever what a class occupies changes,
// the time since the last change is added to its integral; nothing is sampled, so tasks of any
// length count exactly.
namespace dunlin::sched {

UsageMeter::Class& UsageMeter::of(ClassId class_id) {
  const auto at = std::ranges::lower_bound(classes_, class_id, {}, &Class::class_id);
  if (at != classes_.end() && at->class_id == class_id) return *at;
  return *classes_.insert(at, {.class_id = class_id});
}

void UsageMeter::count(Time now) {
  ensure(now >= counted_, "time goes back");
  for (Class& each : classes_) {
    each.occupied += static_cast<Wide>(each.part) * (now - counted_).count();
  }
  counted_ = now;
}

void UsageMeter::start(Time now, ClassId class_id, std::uint64_t part) {
  count(now);
  of(class_id).part += part;
}

void UsageMeter::stop(Time now, ClassId class_id, std::uint64_t part) {
  count(now);
  Class& stopped = of(class_id);
  ensure(stopped.part >= part, "a task leaves more than it took");
  stopped.part -= part;
}

std::vector<std::pair<ClassId, Tickets>> UsageMeter::take(Time now, Tickets tickets) {
  count(now);
  std::vector<std::pair<ClassId, Tickets>> usage;
  const Wide whole = Wide{(now - begun_).count()} * kWholeNode;
  for (Class& each : classes_) {
    if (whole > 0 && each.occupied > 0) {
      const Wide used = (each.occupied * tickets + whole / 2) / whole;
      usage.emplace_back(each.class_id, static_cast<Tickets>(used));
    }
    each.occupied = 0;
  }
  std::erase_if(classes_, [](const Class& each) { return each.part == 0; });
  begun_ = now;
  return usage;
}

}  // namespace dunlin::sched
