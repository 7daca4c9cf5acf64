// SPDX-License-Identifier: MIT
#include "node/access/accounts.h"

#include <algorithm>
#include <utility>

// One member of the group could take an agent from all others: by idle connections, by followers of
// events, by requests that each cost a second. So whatever is scarce has places, with a share for
// each user, fewer while others are there, and some kept for administrators; and the loop's time is
// given out in turns.
namespace dunlin::node {
namespace {

/// Whoever found no place may look again after so long.
constexpr overlay::Duration kPlaceRest = std::chrono::seconds(1);

overlay::Duration steady() {
  return std::chrono::steady_clock::now().time_since_epoch();
}

std::string name_in_words(const Account& account) {
  return account.user.empty() ? "a holder of the cluster key" : account.user;
}

}  // namespace

HeldPlace::HeldPlace(Place place, AccountPtr account)
    : place_(place),
      account_(std::move(account)) {
  ++account_->places[static_cast<std::size_t>(place_)];
}

HeldPlace::HeldPlace(HeldPlace&& other) noexcept
    : place_(other.place_),
      account_(std::exchange(other.account_, nullptr)) {}

HeldPlace& HeldPlace::operator=(HeldPlace&& other) noexcept {
  if (this == &other) return *this;
  release();
  place_ = other.place_;
  account_ = std::exchange(other.account_, nullptr);
  return *this;
}

void HeldPlace::release() {
  if (account_ != nullptr) --account_->places[static_cast<std::size_t>(place_)];
  account_ = nullptr;
}

HeldUpload::HeldUpload(HeldUpload&& other) noexcept
    : account_(std::exchange(other.account_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

HeldUpload& HeldUpload::operator=(HeldUpload&& other) noexcept {
  if (this == &other) return *this;
  hold(0);
  account_ = std::exchange(other.account_, nullptr);
  bytes_ = std::exchange(other.bytes_, 0);
  return *this;
}

void HeldUpload::hold(std::uint64_t bytes) {
  if (account_ == nullptr) return;
  account_->upload_bytes = account_->upload_bytes - bytes_ + bytes;
  bytes_ = bytes;
}

Accounts::Accounts() : clock_(steady) {}

AccountPtr Accounts::of(const std::string& user) {
  if (const auto found = accounts_.find(user); found != accounts_.end()) return found->second;
  if (accounts_.size() >= kAccountsMax) {
    // Nothing holds these: no place, no session. What they were charged is forgotten with them,
    // which is what bounds the table.
    std::erase_if(accounts_, [](const auto& each) { return each.second.use_count() == 1; });
  }
  return accounts_[user] = std::make_shared<Account>(user);
}

std::vector<AccountPtr> Accounts::all() const {
  std::vector<AccountPtr> found;
  found.reserve(accounts_.size());
  for (const auto& [user, account] : accounts_) found.push_back(account);
  return found;
}

std::size_t Accounts::taken(Place place) const {
  std::size_t taken = 0;
  for (const auto& [user, account] : accounts_) {
    taken += account->places[static_cast<std::size_t>(place)];
  }
  return taken;
}

std::size_t Accounts::own_max(Place place, const Account& account, bool administrator) const {
  const Share& share = share_of(place);
  if (administrator) return share.all;
  // As long as nobody else has any, a user may have more: shares are for those that compete.
  const bool alone = account.places[static_cast<std::size_t>(place)] == taken(place);
  return alone ? share.alone : share.user;
}

bool Accounts::has_room(Place place, const Account& account, bool administrator) const {
  const Share& share = share_of(place);
  const std::size_t own = account.places[static_cast<std::size_t>(place)];
  return taken(place) + (administrator ? 0 : share.kept) < share.all &&
      own < own_max(place, account, administrator);
}

Result<HeldPlace> Accounts::take(Place place, const AccountPtr& account, bool administrator) {
  if (has_room(place, *account, administrator)) return HeldPlace(place, account);
  ++account->refused;
  const Share& share = share_of(place);
  const std::size_t own = account->places[static_cast<std::size_t>(place)];
  const std::size_t limit = own_max(place, *account, administrator);
  const std::string rule = own >= limit && !administrator
      ? "a user may have " + std::to_string(limit) + (limit == share.alone ? "" : " beside others")
      : "there are " + std::to_string(share.all) + ", " + std::to_string(share.kept) +
          " of them for administrators";
  return too_busy(most_of(place) + "; " + rule + ": end one of them", kPlaceRest.count());
}

std::string Accounts::most_of(Place place) const {
  const auto at = static_cast<std::size_t>(place);
  const auto greediest = std::ranges::max_element(
      accounts_, {}, [at](const auto& each) { return each.second->places[at]; });
  std::string text = std::to_string(taken(place)) + " " + std::string(share_of(place).said);
  if (greediest == accounts_.end() || greediest->second->places[at] == 0) return text;
  return text + ", " + std::to_string(greediest->second->places[at]) + " of them of one user, " +
      name_in_words(*greediest->second);
}

void Accounts::begin_turn() {
  ++turn_;
  turn_loop_ = overlay::Duration{0};
}

void Accounts::charge(Account& account, overlay::Duration worked) {
  // Reset when it is next charged, not for all at each turn: accounts are many, and few are active.
  if (account.turn_ != turn_) account.turn_loop_ = overlay::Duration{0};
  account.turn_ = turn_;
  account.turn_loop_ += worked;
  account.loop += worked;
  turn_loop_ += worked;
  const overlay::Duration now = clock_();
  if (latest_ != &account) other_at_ = latest_at_;
  latest_ = &account;
  latest_at_ = now;
  // Only while somebody else was served lately: alone, a user may use all of the loop.
  const bool others = other_at_ > overlay::Duration{0} && now - other_at_ < kThere;
  if (others && worked >= 2 * kTurnShare) {
    // A request that took long is followed by as long a rest, so that two users get about half
    // each.
    account.rests_until_ = now + std::min<overlay::Duration>(worked, kThere);
  }
}

bool Accounts::may_run(const Account& account) const {
  const bool used_up = account.turn_ == turn_ && account.turn_loop_ >= kTurnShare;
  if (used_up || turn_loop_ >= kTurnMax) return false;
  return account.rests_until_ == overlay::Duration{0} || clock_() >= account.rests_until_;
}

overlay::Duration Accounts::rest_of(const Account& account) const {
  if (account.rests_until_ == overlay::Duration{0}) return {};
  return std::max(overlay::Duration{0}, account.rests_until_ - clock_());
}

void Accounts::tell_fault(Account& account, std::string_view verb, std::string_view fault) {
  ++account.failed;
  if (on_fault_) on_fault_(account, verb, fault);
}

}  // namespace dunlin::node
