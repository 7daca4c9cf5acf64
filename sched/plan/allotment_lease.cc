// SPDX-License-Identifier: MIT
#include "sched/plan/allotment_lease.h"

#include <algorithm>

namespace dunlin::sched {

// Milliseconds grow faster than claims are sent: after a restart the sequence is greater still.
std::uint64_t AllotmentLease::claim(Time now, CellId cell) {
  if (cell != cell_) {
    drop();
    cell_ = cell;
    epoch_ = 0;
    sent_ = {};
  }
  sequence_ = std::max<std::uint64_t>(sequence_ + 1,
      static_cast<std::uint64_t>(now.time_since_epoch() / std::chrono::milliseconds(1)));
  sent_[sequence_ % sent_.size()] = Sent{.sequence = sequence_, .when = now};
  return sequence_;
}

bool AllotmentLease::receive(
    Time now, PeerId self, std::uint64_t epoch, const cell::Allotments& told) {
  if (told.member != self || told.cell != cell_ || !cell_) return false;
  if (told.epoch < std::max(epoch, epoch_)) {
    ++refused_;
    return false;
  }
  const auto& sent = sent_[told.sequence % sent_.size()];
  if (!sent || sent->sequence != told.sequence) return false;
  if (told.epoch == epoch_ && told.plan < plan_) return false;
  const Time until =
      sent->when + std::clamp(told.life, Duration{0}, Duration{std::chrono::hours(1)});
  if (until <= now) return false;
  const bool held = now < until_;
  const bool changed = !held || told.allotted != allotted_;
  const bool newer = told.epoch > epoch_ || told.plan > plan_;
  until_ = newer ? until : std::max(until_, until);
  epoch_ = told.epoch;
  plan_ = told.plan;
  allotted_ = told.allotted;
  return changed;
}

void AllotmentLease::drop() {
  allotted_.clear();
  until_ = {};
  plan_ = 0;
}

std::span<const cell::Allotted> AllotmentLease::allotted(Time now) const {
  if (now >= until_) return {};
  return allotted_;
}

}  // namespace dunlin::sched
