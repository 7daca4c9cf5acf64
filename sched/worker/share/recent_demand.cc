// SPDX-License-Identifier: MIT
#include "sched/worker/share/recent_demand.h"

#include <algorithm>

#include "sched/ledger/wide.h"

// A class that comes and goes at a node will come again, and one that left for good will not. The
// mean of what it asked for tells both: it follows the demand with a delay of kMemory, so after a
// burst it lies above the demand, and sinks to it unless another burst comes. Whole numbers alone,
// rounded down, so that a mean reaches zero.
namespace dunlin::sched {
namespace {

/// The delay with which the mean follows the demand: that of some periods, and less than savings
/// at a node live.
constexpr Duration kMemory = std::chrono::seconds(30);

Tickets mean_after(Tickets mean, Tickets demand, Duration elapsed) {
  const Wide sum = Wide{demand} * elapsed.count() + Wide{mean} * kMemory.count();
  return static_cast<Tickets>(sum / (elapsed + kMemory).count());
}

}  // namespace

void RecentDemand::foretell(Duration elapsed, std::vector<books::Use>& uses) {
  for (const auto& [class_id, mean] : means_) {
    const auto at = std::ranges::lower_bound(uses, class_id, {}, &books::Use::class_id);
    if (at == uses.end() || at->class_id != class_id) uses.insert(at, {.class_id = class_id});
  }
  std::vector<std::pair<ClassId, Tickets>> means;
  auto known = means_.begin();
  for (books::Use& use : uses) {
    const bool was_known = known != means_.end() && known->first == use.class_id;
    const Tickets before = was_known ? (known++)->second : 0;
    const Tickets demand = use.used + use.need;
    const Tickets mean = mean_after(before, demand, std::max(elapsed, Duration{0}));
    use.soon = std::max<Tickets>(0, mean - demand);
    if (mean > 0) means.emplace_back(use.class_id, mean);
  }
  means_ = std::move(means);
}

}  // namespace dunlin::sched
