// SPDX-License-Identifier: MIT
#include "sched/cell/guest_claims.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

// Each cell is asked for what those before it do not give. What was claimed and is not answered yet
// counts as given, so no two cells are asked for the same slots. When a cell gives more than
// before, those behind it are asked for less at once; all else is said again within its lease.
namespace dunlin::sched {
namespace {

/// So many times within a lease.
constexpr int kRepeats = 3;

}  // namespace

Duration claim_repeat(const CellParams& params) {
  return std::min({2 * params.period, params.lease / kRepeats, params.grant_life / kRepeats});
}

void GuestClaims::hear_own(Time now, const std::vector<cell::Lack>& lacks) {
  std::map<JobId, std::uint32_t> own;
  for (const cell::Lack& lack : lacks) own[lack.job] = lack.slots;
  if (own == own_) return;
  own_ = std::move(own);
  next_ = std::min(next_, now);
}

void GuestClaims::drop() {
  own_.clear();
  hosts_.clear();
  next_ = kNever;
}

std::vector<CellId> GuestClaims::hosts() const {
  std::vector<CellId> cells;
  for (const Host& host : hosts_) cells.push_back(host.cell);
  return cells;
}

std::uint32_t GuestClaims::given(const JobId& job) const {
  std::uint32_t given = 0;
  for (const Host& host : hosts_) {
    const auto wish = host.wishes.find(job);
    if (host.answered && wish != host.wishes.end()) given += wish->second.given;
  }
  return given;
}

GuestClaims::Left GuestClaims::lacking(std::span<const cell::Claim> claims) const {
  Left left;
  for (const cell::Claim& claim : claims) {
    const auto own = own_.find(claim.job);
    if (own == own_.end() || claim.left <= own->second) continue;
    cell::Claim rest = claim;
    rest.left -= own->second;
    rest.elsewhere = own->second;
    left.emplace(claim.job, rest);
  }
  return left;
}

void GuestClaims::send(
    const CellTurn& turn, const CellHints& hints, CellId own, std::span<const cell::Claim> claims) {
  Left left = lacking(claims);
  std::erase_if(hosts_, [&](const Host& host) {
    const bool done = host.cell == own || is_done(host, turn.now);
    if (done && !host.wishes.empty()) useless_ = host.cell;
    return done;
  });
  for (Host& host : hosts_) ask(turn, hints, host, left);
  const auto lacks = [](const auto& each) { return each.second.left > 0; };
  const bool all_answered = std::ranges::all_of(hosts_, &Host::answered);
  if (all_answered && hosts_.size() < kHostsMax && std::ranges::any_of(left, lacks)) {
    const std::size_t before = hosts_.size();
    choose(turn, hints, own);
    if (hosts_.size() > before) ask(turn, hints, hosts_.back(), left);
  }
  next_ = std::ranges::any_of(left, lacks) ? turn.now + claim_repeat(params_->cell) : kNever;
  for (const Host& host : hosts_) next_ = std::min(next_, host.next);
}

/// Says what it is to give of `left`, if that is due, and takes that off.
void GuestClaims::ask(const CellTurn& turn, const CellHints& hints, Host& host, Left& left) {
  bool is_news = false;
  std::set<JobId> wanted;
  for (auto& [job, rest] : left) {
    if (rest.left == 0) continue;
    wanted.insert(job);
    const auto [at, is_new] = host.wishes.try_emplace(job);
    Wish& wish = at->second;
    const bool begins = is_new || wish.claim.left == 0;
    if (begins) wish.given = rest.left;  // As long as there is no answer.
    is_news = is_news || begins || rest.left < wish.given || rest.priority != wish.claim.priority ||
        rest.deadline != wish.claim.deadline;
    wish.claim = rest;
    wish.ended = 0;
    rest.left -= std::min(rest.left, wish.given);
    if (host.answered) rest.elsewhere += wish.given;
  }
  for (auto& [job, wish] : host.wishes) {
    if (wanted.contains(job)) continue;
    is_news = is_news || wish.claim.left > 0;
    wish.claim.left = 0;
  }
  if (const cell::Hint* hint = hints.find(host.cell)) host.manager = endpoint_of(hint->manager);
  const Time soonest = std::max(turn.now, host.asked + params_->plan.gap);
  if (is_news) host.next = std::min(host.next, soonest);
  if (turn.now >= host.next) say(turn, host);
}

void GuestClaims::say(const CellTurn& turn, Host& host) {
  std::vector<cell::Claim> claims;
  for (auto& [job, wish] : host.wishes) {
    claims.push_back(wish.claim);
    if (wish.claim.left == 0) ++wish.ended;
  }
  std::erase_if(host.wishes, [](const auto& each) { return each.second.ended >= kClaimEndTold; });
  for (std::size_t first = 0; first < claims.size();) {
    const std::size_t last = std::min(claims.size(), first + cell::Claims::kClaimsMax);
    // Milliseconds grow faster than claims are sent: after a restart it is greater still.
    host.sequence = std::max<std::uint64_t>(host.sequence + 1,
        static_cast<std::uint64_t>(turn.now.time_since_epoch() / std::chrono::milliseconds(1)));
    cell::Claims part{
        .cell = host.cell, .member = self_, .sequence = host.sequence, .claims = {}, .guest = true};
    part.claims.assign(claims.begin() + static_cast<std::ptrdiff_t>(first),
        claims.begin() + static_cast<std::ptrdiff_t>(last));
    turn.out.send(host.manager, part);
    first = last;
  }
  host.asked = turn.now;
  host.next = turn.now + claim_repeat(params_->cell);
}

bool GuestClaims::is_done(const Host& host, Time now) const {
  return host.wishes.empty() || now >= host.useful + params_->cell.lease;
}

/// One cell more is asked from now on, if hints know of one.
void GuestClaims::choose(const CellTurn& turn, const CellHints& hints, CellId own) {
  std::vector<cell::Hint> others = hints.standing(0);
  const auto asked = hosts();
  std::erase_if(others, [&](const cell::Hint& hint) {
    return hint.cell == own || std::ranges::find(asked, hint.cell) != asked.end();
  });
  if (others.size() > 1) {
    std::erase_if(others, [&](const cell::Hint& hint) { return hint.cell == useless_; });
  }
  if (others.empty()) return;
  std::uint64_t spare = 0;
  for (const cell::Hint& hint : others) spare += hint.spare;
  std::size_t chosen = spare == 0 ? turn.rng.index(others.size()) : 0;
  if (spare > 0) {
    for (std::uint64_t drawn = turn.rng.index(spare); drawn >= others[chosen].spare; ++chosen) {
      drawn -= others[chosen].spare;
    }
  }
  hosts_.push_back({.cell = others[chosen].cell,
      .manager = endpoint_of(others[chosen].manager),
      .next = turn.now,
      .useful = turn.now});
}

bool GuestClaims::receive(Time now, const Endpoint& from, const cell::Allotments& told) {
  const auto at = std::ranges::find(hosts_, told.cell, &Host::cell);
  if (at == hosts_.end() || at->manager.id != from.id) return false;
  Host& host = *at;
  // An earlier word of this node may have claimed more, or less.
  if (told.member != self_ || told.sequence != host.sequence) return true;
  if (std::pair(told.epoch, told.plan) < std::pair(host.epoch, host.plan)) return true;
  host.epoch = told.epoch;
  host.plan = told.plan;
  host.answered = true;
  std::uint64_t given = 0;
  for (auto& [job, wish] : host.wishes) {
    const auto lack = std::ranges::find(told.lacks, job, &cell::Lack::job);
    wish.given = lack == told.lacks.end() ? wish.claim.left : lack->slots;
    given += wish.given;
  }
  if (given > 0) host.useful = now;
  next_ = std::min(next_, std::max(now, host.asked + params_->plan.gap));
  return true;
}

}  // namespace dunlin::sched
