// SPDX-License-Identifier: MIT
#include "sched/cell/cell_member.h"

#include <algorithm>
#include <cmath>

// A member and its manager need no common clock: a term counts from when the member sent its
// report, which is before the manager granted anything for it. So grants end at the member before
// they end in the books, and no ticket is in use twice, however late a message comes. Cells come
// into being without a plan: a node that finds no cell with room draws lots whether to establish
// one, and the chance doubles until some node has. Neither a message nor an answer is relied upon:
// a report is sent again, to the next contact, until a lease answers it.
namespace dunlin::sched {
namespace {

/// Reports that a newcomer sends in vain before it looks for another cell.
constexpr std::uint16_t kJoinTries = 6;
/// A node without a cell establishes one with probability kEstablishAtFirst / cell_size, times
/// kEstablishGrowth after each draw; draws are kDrawsApart × retry apart, so that others can hear
/// of a new cell first. That makes more cells than are needed, so new ones are not full at once.
constexpr double kEstablishAtFirst = 2;
constexpr double kEstablishGrowth = 2;
constexpr int kDrawsApart = 2;
constexpr std::uint16_t kDrawsMax = 16;

}  // namespace

CellMember::CellMember(const CellParams& params, std::uint8_t level, MemberId self)
    : params_(params),
      self_(self),
      level_(level) {}

void CellMember::join(
    Time now, CellId cell, std::span<const books::Contact> contacts, Joins joins) {
  ensure(level_of(cell) == level_, "a cell of another level");
  drop_grants();
  state_ = State::joining;
  cell_ = cell;
  epoch_ = 0;
  period_ = 0;
  contacts_.assign(contacts.begin(), contacts.end());
  establishes_ = false;
  joins_ = joins;
  asked_ = 0;
  tries_ = 0;
  answered_ = true;
  sent_ = {};
  next_ = now;
  held_ = now + params_.lease;
}

void CellMember::leave(Time now) {
  if (state_ == State::seeking) return;
  drop_grants();
  state_ = State::leaving;
  tries_ = 0;
  held_ = now + params_.lease;
  next_ = now;
}

void CellMember::start_over(Time now, CellId avoid) {
  drop_grants();
  state_ = State::seeking;
  cell_ = {};
  avoided_ = avoid;
  avoided_until_ = now + params_.lease;
  establishes_ = false;
  next_ = now;
}

bool CellMember::excluded(Time now, CellId cell) const {
  return cell == avoided_ && now < avoided_until_;
}

// The fuller of two cells drawn by chance: so few cells stay half empty, and not every node that
// seeks goes for the same one.
void CellMember::seek(const CellTurn& turn, const CellHints& hints) {
  const Time now = turn.now;
  if (retired_) return;
  if (!patience_) {
    patience_ = now + turn.rng.between(params_.patience, 2 * params_.patience);
    draws_ = 0;
  }
  if (now < next_) return;
  auto standing = hints.standing(level_);
  std::erase_if(
      standing, [&](const cell::Hint& hint) { return hint.room == 0 || excluded(now, hint.cell); });
  turn.rng.draw_front(std::span(standing), 2);
  // A node that was turned away for long enough draws, too, though there seems to be room.
  const bool impatient = now >= *patience_ && (standing.empty() || turned_away_);
  if (impatient) {
    establishes_ = turn.rng.chance(chance_to_establish(hints));
    if (draws_ < kDrawsMax) ++draws_;
    patience_ = now + kDrawsApart * params_.retry;
  }
  if (!standing.empty() && !establishes_) {
    const bool second = standing.size() > 1 && standing[1].size > standing[0].size;
    const cell::Hint& best = standing[second ? 1 : 0];
    return join(now, best.cell, std::span(&best.manager, 1));
  }
  next_ = now + params_.retry;
}

// Thousands of nodes may seek at once, and none knows how many. Each establishes a cell with a
// small chance, which grows until some node has, so there are about as many cells as are needed.
// Cells that seek a parent are known by gossip: the one of the lowest id need not wait for chance.
double CellMember::chance_to_establish(const CellHints& hints) const {
  if (level_ > 0) {
    const auto others = hints.standing(static_cast<std::uint8_t>(level_ - 1));
    if (others.empty() || self_.cell() <= others.front().cell) return 1;
  }
  const double size = level_ == 0 ? params_.cell_size : params_.fan_out;
  return std::min(1.0, kEstablishAtFirst / size * std::pow(kEstablishGrowth, draws_));
}

bool CellMember::give_up(Time now) {
  const bool joins_again = state_ == State::joining && joins_ == Joins::again;
  const bool belongs = state_ == State::member || joins_again;
  const bool joined_late = state_ == State::joining && !joins_again && tries_ >= kJoinTries;
  const bool left_late = state_ == State::leaving && now >= held_;
  // A cell without a manager may get one yet: its members wait for as long again.
  const bool lost = belongs && now >= held_ + 2 * params_.lease;
  if (!joined_late && !left_late && !lost) return false;
  start_over(now, cell_);
  return true;
}

void CellMember::send(const CellTurn& turn) {
  const Time now = turn.now;
  if (!answered_ && !contacts_.empty()) asked_ = (asked_ + 1) % contacts_.size();
  answered_ = false;
  ++tries_;
  cell::MemberReport renew = report_;
  renew.cell = cell_;
  renew.member = self_;
  // Milliseconds grow faster than reports are sent: after a restart the sequence is greater still.
  sequence_ = std::max<std::uint64_t>(sequence_ + 1,
      static_cast<std::uint64_t>(now.time_since_epoch() / std::chrono::milliseconds(1)));
  renew.sequence = sequence_;
  renew.leaving = state_ == State::leaving;
  renew.period = period_;
  sent_[sequence_ % sent_.size()] = Sent{.sequence = sequence_, .when = now};
  if (asked_ < contacts_.size()) turn.out.send(endpoint_of(contacts_[asked_]), renew);
  next_ = now + params_.retry;
}

std::optional<Time> CellMember::when_sent(std::uint64_t sequence) const {
  const auto& sent = sent_[sequence % sent_.size()];
  if (!sent || sent->sequence != sequence) return std::nullopt;
  return sent->when;
}

void CellMember::learn_contacts(const cell::Lease& lease) {
  if (lease.contacts.empty()) return;
  contacts_ = lease.contacts;
  asked_ = 0;
}

// The other contacts are kept: the one that is named may be dead, and no other elected yet.
void CellMember::learn_manager(const cell::Lease& lease) {
  if (lease.contacts.empty()) return;
  const books::Contact manager = lease.contacts.front();
  std::erase_if(contacts_, [&](const auto& contact) { return contact.node == manager.node; });
  if (contacts_.size() >= cell::Lease::kContactsMax) contacts_.pop_back();
  contacts_.insert(contacts_.begin(), manager);
  asked_ = 0;
}

// The term counts from when the report left, before the manager can have stamped it: whatever the
// network does, grants end here before they do in the books. Books hold no grant of nothing. But a
// class that waited by the last report and gets none is refused, not forgotten: it gets a zero.
bool CellMember::take_grants(const cell::Lease& lease, Time sent) {
  if (lease.period < period_ || (lease.period == period_ && sent + lease.grant_life <= until_)) {
    return false;
  }
  period_ = lease.period;
  until_ = sent + lease.grant_life;
  grants_ = lease.grants;
  if (grants_.empty()) return true;
  for (const books::Use& use : report_.uses) {
    const bool granted = std::ranges::count(grants_, use.class_id, &cell::Grant::class_id) > 0;
    if (use.need > 0 && !granted) grants_.push_back({.class_id = use.class_id, .tickets = 0});
  }
  return true;
}

// A lease that answers an older report may still grant. But only the answer to the last one turns a
// member away: an older one may be from before it was admitted.
// One that leaves asks again soon: the books let it go within a round trip of theirs.
bool CellMember::receive(const CellTurn& turn, const cell::Lease& lease) {
  const Time now = turn.now;
  if (state_ == State::seeking || lease.cell != cell_ || lease.member != self_) return false;
  if (lease.epoch < epoch_) {
    ++refused_;
    return false;
  }
  const auto sent = when_sent(lease.sequence);
  if (lease.standing == cell::Standing::elsewhere) {
    learn_manager(lease);
    // Not at once: two replicas that each take the other for the manager would keep it busy.
    answered_ = true;
    next_ = std::min(next_, now + params_.retry / 4);
    return false;
  }
  epoch_ = lease.epoch;
  learn_contacts(lease);
  const bool current = lease.sequence == sequence_;
  if (current) {
    answered_ = true;
    tries_ = 0;
    if (state_ == State::leaving) next_ = now + params_.retry / 4;
  }
  switch (lease.standing) {
    case cell::Standing::member:
      if (state_ == State::leaving || !sent) return false;
      state_ = State::member;
      patience_.reset();
      turned_away_ = false;
      held_ = std::max(held_, *sent + params_.lease);
      if (current) next_ = *sent + params_.period;
      // The next report leaves well before the next allocation, and tells of these grants alone.
      if (lease.period > period_ && current) next_ = now + params_.period * 3 / 4;
      return take_grants(lease, *sent);
    case cell::Standing::full:
      if (!current) return false;
      start_over(now, cell_);
      turned_away_ = true;
      // Not at once: the cell may tell it of others first, and many are turned away with it.
      next_ = now + turn.rng.between(Duration{0}, params_.retry);
      return true;
    case cell::Standing::gone:
      if (!current) return false;
      if (state_ == State::leaving) {
        start_over(now, cell_);
      } else {
        const auto contacts = contacts_;
        join(now, cell_, contacts);
      }
      return true;
    case cell::Standing::dissolved:
      if (state_ == State::joining) start_over(now, cell_);
      if (state_ == State::member) leave(now);
      return true;
    case cell::Standing::wait:
    case cell::Standing::elsewhere:
      break;
  }
  return false;
}

void CellMember::drop_grants() {
  grants_.clear();
  until_ = {};
}

std::span<const cell::Grant> CellMember::grants(Time now) const {
  if (now >= until_) return {};
  return grants_;
}

}  // namespace dunlin::sched
