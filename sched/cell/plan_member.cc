// SPDX-License-Identifier: MIT
#include "sched/cell/plan_member.h"

#include <algorithm>
#include <utility>
#include <vector>

// Claims are soft: what is lost is said again. A job that has ended is said to want nothing, in
// several claims in a row, since its slots should not wait for its lease to lapse.
namespace dunlin::sched {

void PlanMember::set_on(Time now, bool on) {
  if (on_ == on) return;
  on_ = on;
  next_ = on ? now : kNever;
  lease_.drop();
  abroad_.drop();
  claimed_.clear();
  news_ = true;
}

void PlanMember::hurry(Time now) {
  if (on_) next_ = std::min(next_, std::max(now, earliest_claim()));
}

void PlanMember::follow(Time now, const CellMember& member, bool on) {
  set_on(now, on);
  if (!on_ || !member.is_member() || member.contacts().empty()) return;
  if (member.contacts().front().node != manager_) hurry(now);
}

// It looks for another manager here, too: seen after this wake-up, one would be due at once.
void PlanMember::wake(const CellTurn& turn, const CellMember& member, const CellHints& hints) {
  follow(turn.now, member, on_);
  if (held_ && turn.now >= lease_.until()) {
    held_ = false;
    news_ = true;
  }
  if (!on_ || turn.now < std::min(next_, abroad_.deadline())) return;
  const bool claims = turn.now >= next_;
  if (claims) next_ = turn.now + claim_repeat(params_->cell);
  if (!member.is_member() || member.contacts().empty()) return abroad_.drop();
  const NodeClaims known = turn.workload.claims(turn.now);
  if (claims) send(turn, member, known);
  if (abroad_.deadline() != kNever) abroad_.send(turn, hints, member.cell(), known.claims);
}

void PlanMember::send(const CellTurn& turn, const CellMember& member, NodeClaims known) {
  version_ = known.version;
  last_ = turn.now;
  const Endpoint manager = endpoint_of(member.contacts().front());
  manager_ = manager.id;
  for (auto& [job, left] : claimed_) --left;
  for (cell::Claim& claim : known.claims) {
    claimed_[claim.job] = kClaimEndTold + 1;
    claim.elsewhere = abroad_.given(claim.job);
  }
  for (const auto& [job, left] : claimed_) {
    if (left <= kClaimEndTold) known.claims.push_back({.job = job});
  }
  std::erase_if(claimed_, [](const auto& each) { return each.second <= 1; });
  std::size_t first = 0;
  do {
    const std::size_t last = std::min(known.claims.size(), first + cell::Claims::kClaimsMax);
    cell::Claims part{.cell = member.cell(),
        .member = self_,
        .sequence = lease_.claim(turn.now, member.cell()),
        .slots = known.slots,
        .speed = known.speed,
        .claims = {},
        .preempts = known.preempts};
    part.claims.assign(known.claims.begin() + static_cast<std::ptrdiff_t>(first),
        known.claims.begin() + static_cast<std::ptrdiff_t>(last));
    turn.out.send(manager, part);
    first = last;
  } while (first < known.claims.size());
}

bool PlanMember::receive(const CellTurn& turn,
    const Endpoint& from,
    const CellMember& member,
    const cell::Allotments& told) {
  if (!on_ || !member.is_member()) return true;
  // What another cell tells may be an answer to a claim that was given up.
  if (told.cell != member.cell()) {
    (void)abroad_.receive(turn.now, from, told);
    return true;
  }
  if (!asks(member, from.id)) return false;
  if (lease_.receive(turn.now, self_, member.epoch(), told) || lease_.until() > turn.now) {
    news_ = true;
  }
  const bool holds = turn.now < lease_.until() && told.epoch == lease_.epoch() &&
      told.plan == lease_.plan() && told.member == self_;
  if (holds) abroad_.hear_own(turn.now, told.lacks);
  return true;
}

bool PlanMember::take_news(Time now) {
  const bool holds = now < lease_.until();
  const bool lapsed = std::exchange(held_, holds) && !holds;
  return std::exchange(news_, false) || lapsed;
}

Time PlanMember::deadline() const {
  if (!on_) return kNever;
  const Time next = std::min(next_, abroad_.deadline());
  return held_ ? std::min(next, lease_.until()) : next;
}

}  // namespace dunlin::sched
