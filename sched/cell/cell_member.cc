// SPDX-License-Identifier: MIT
#include "sched/cell/cell_member.h"

#include <algorithm>
#include <cmath>

namespace dunlin::sched {
namespace {

/// Contacts tried before a newcomer looks for another cell, each once.
constexpr std::uint16_t kJoinTries = 6;
/// Of those who seek, so many times as many as are needed found a cell at once: they shall not be
/// full at once. Then, when others had so many times `retry` to hear of it, the chance is so many
/// times as large.
constexpr double kFoundAtFirst = 2;
constexpr double kFoundGrowth = 2;
constexpr int kDrawsApart = 2;
constexpr std::uint16_t kDrawsMax = 16;

}  // namespace

CellMember::CellMember(const CellParams& params, std::uint8_t level, PeerId self)
    : params_(params),
      self_(self),
      level_(level) {}

void CellMember::join(Time now, CellId cell, std::span<const books::Contact> contacts) {
  ensure(level_of(cell) == level_, "a cell of another level");
  drop_grants();
  state_ = State::joining;
  cell_ = cell;
  epoch_ = 0;
  period_ = 0;
  contacts_.assign(contacts.begin(), contacts.end());
  founds_ = false;
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
  cell_ = 0;
  avoided_ = avoid;
  avoided_until_ = now + params_.lease;
  founds_ = false;
  next_ = now;
}

bool CellMember::excluded(Time now, CellId cell) const {
  return cell == avoided_ && now < avoided_until_;
}

// Of two by chance the fuller one, so that few are left half empty, and not all go for the same.
void CellMember::seek(const CellTurn& turn, const CellHints& hints) {
  const Time now = turn.now;
  if (retired_) return;
  if (patience_ == Time{}) {
    patience_ = now + turn.rng.between(params_.patience, 2 * params_.patience);
    draws_ = 0;
  }
  if (now < next_) return;
  auto standing = hints.standing(level_);
  std::erase_if(
      standing, [&](const cell::Hint& hint) { return hint.room == 0 || excluded(now, hint.cell); });
  turn.rng.draw_front(std::span(standing), 2);
  // Who was turned away long enough founds one though there seems to be room.
  const bool impatient = now >= patience_ && (standing.empty() || turned_away_);
  if (impatient) {
    founds_ = turn.rng.chance(chance_to_found(hints));
    if (draws_ < kDrawsMax) ++draws_;
    patience_ = now + kDrawsApart * params_.retry;
  }
  if (!standing.empty() && !founds_) {
    const bool second = standing.size() > 1 && standing[1].size > standing[0].size;
    const cell::Hint& best = standing[second ? 1 : 0];
    return join(now, best.cell, std::span(&best.manager, 1));
  }
  next_ = now + params_.retry;
}

// Thousands may seek at once, and nobody knows how many. If each founds with a small chance, that
// grows until one has, there are about as many cells as are needed. Above nodes, who seeks is
// known: the one of the lowest id need not wait for chance.
double CellMember::chance_to_found(const CellHints& hints) const {
  if (level_ > 0) {
    const auto others = hints.standing(static_cast<std::uint8_t>(level_ - 1));
    if (others.empty() || self_.value <= others.front().cell) return 1;
  }
  const double size = level_ == 0 ? params_.cell_size : params_.fan_out;
  return std::min(1.0, kFoundAtFirst / size * std::pow(kFoundGrowth, draws_));
}

bool CellMember::give_up(Time now) {
  const bool joined_late = state_ == State::joining && tries_ >= kJoinTries;
  const bool left_late = state_ == State::leaving && now >= held_;
  // A cell without a manager may get one yet: its members wait for as long again.
  const bool lost = state_ == State::member && now >= held_ + 2 * params_.lease;
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
  // Of a later life, it is greater still.
  sequence_ = std::max<std::uint64_t>(sequence_ + 1,
      static_cast<std::uint64_t>(now.time_since_epoch() / std::chrono::milliseconds(1)));
  renew.sequence = sequence_;
  renew.leaving = state_ == State::leaving;
  renew.period = period_;
  sent_[sequence_ % sent_.size()] = {.sequence = sequence_, .when = now};
  if (asked_ < contacts_.size()) turn.out.send(endpoint_of(contacts_[asked_]), renew);
  next_ = now + params_.retry;
}

std::optional<Time> CellMember::when_sent(std::uint64_t sequence) const {
  const Sent& sent = sent_[sequence % sent_.size()];
  return sequence != 0 && sent.sequence == sequence ? std::optional(sent.when) : std::nullopt;
}

void CellMember::learn_contacts(const cell::Lease& lease) {
  if (lease.contacts.empty()) return;
  contacts_ = lease.contacts;
  asked_ = 0;
}

// The others are kept: who is named may be dead, and nobody elected yet.
void CellMember::learn_manager(const cell::Lease& lease) {
  if (lease.contacts.empty()) return;
  const books::Contact manager = lease.contacts.front();
  std::erase_if(contacts_, [&](const auto& contact) { return contact.node == manager.node; });
  if (contacts_.size() >= cell::Lease::kContactsMax) contacts_.pop_back();
  contacts_.insert(contacts_.begin(), manager);
  asked_ = 0;
}

// The term counts from when the report left, before the manager can have stamped it: whatever the
// network does, grants end here before they do in the books.
bool CellMember::take_grants(const cell::Lease& lease, Time sent) {
  if (lease.period < period_ || (lease.period == period_ && sent + lease.grant_life <= until_)) {
    return false;
  }
  period_ = lease.period;
  grants_ = lease.grants;
  until_ = sent + lease.grant_life;
  return true;
}

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
    // Not at once: two who each take the other for the manager would keep us busy.
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
  }
  switch (lease.standing) {
    case cell::Standing::member:
      if (state_ == State::leaving || !sent) return false;
      state_ = State::member;
      patience_ = {};
      turned_away_ = false;
      held_ = std::max(held_, *sent + params_.lease);
      if (current) next_ = *sent + params_.period;
      // The next report leaves well before the next allocation, and tells of these grants alone.
      if (lease.period > period_ && current) next_ = now + params_.period * 3 / 4;
      return take_grants(lease, *sent);
    case cell::Standing::wait:
      return false;
    case cell::Standing::full:
      if (!current) return false;
      start_over(now, cell_);
      turned_away_ = true;
      // Not at once: it may be told of others, and who is turned away is not alone.
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
