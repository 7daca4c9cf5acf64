// SPDX-License-Identifier: MIT
#include "sched/worker/walk/exhausted_groups.h"

#include <algorithm>

// When the last waiting task of a group is handed out, reservations of it may still be on their
// walks. Frontends number reservations in order, so one number covers all that were sent before.
// The list is a ring: a walk is over long before 32 more groups have run dry, and to forget one too
// early costs a round trip, not a task.
namespace dunlin::sched {
namespace {

constexpr std::size_t kEntriesMax = 32;
/// A walk takes less time than this.
constexpr Duration kKept = std::chrono::seconds(1);

}  // namespace

void ExhaustedGroups::learn(Time now, const JobId& job, std::uint16_t group, std::uint32_t probe) {
  if (probe == 0) return;
  const Entry news{job, group, probe, now + kKept};
  const auto known = std::ranges::find_if(
      entries_, [&](const Entry& entry) { return entry.job == job && entry.group == group; });
  if (known != entries_.end()) {
    *known = news;
  } else if (entries_.size() < kEntriesMax) {
    entries_.push_back(news);
  } else {
    entries_[next_] = news;
    next_ = (next_ + 1) % kEntriesMax;
  }
}

bool ExhaustedGroups::covers(Time now, const Reserve& reserve) const {
  return std::ranges::any_of(entries_, [&](const Entry& entry) {
    return entry.job == reserve.job && entry.group == reserve.group &&
        reserve.probe <= entry.probe && now < entry.until;
  });
}

}  // namespace dunlin::sched
