// SPDX-License-Identifier: MIT
#include "web/access/codes.h"

#include <algorithm>

#include "web/access/secret_text.h"

namespace dunlin::web {
namespace {

constexpr std::int64_t kMinuteS = 60;
/// Addresses that are remembered at once.
constexpr std::size_t kAddressesMax = 4'096;

}  // namespace

void Codes::forget_old(std::int64_t now_s) {
  std::erase_if(codes_, [&](const auto& entry) {
    // The clock may have been set back: what was issued later than now is old, too.
    const std::int64_t issued_s = entry.second.issued_s;
    return issued_s > now_s || now_s - issued_s >= bounds_.lifetime_s;
  });
}

std::optional<std::string> Codes::issue(const std::string& user, std::int64_t now_s) {
  forget_old(now_s);
  std::size_t own = 0;
  auto oldest = codes_.end();
  for (auto at = codes_.begin(); at != codes_.end(); ++at) {
    if (at->second.user != user) continue;
    ++own;
    if (oldest == codes_.end() || at->second.number < oldest->second.number) oldest = at;
  }
  // The oldest and not the new one: a user that asks again has lost the link of before.
  if (own >= bounds_.of_one_user) codes_.erase(oldest);
  if (codes_.size() >= bounds_.in_all) return std::nullopt;
  std::string code = new_secret();
  // By its hash, as with every secret here: memory that leaks, in a core or a swap file, opens
  // nothing. And a look-up by hash takes no time that would tell how much of a guess was right.
  codes_[hash_of(code)] = {.user = user, .issued_s = now_s, .number = ++number_last_};
  return code;
}

std::optional<std::string> Codes::redeem(std::string_view code, std::int64_t now_s) {
  forget_old(now_s);
  // What is too old is gone by now, so that to be there is to count.
  const auto found = codes_.find(hash_of(code));
  if (found == codes_.end()) return std::nullopt;
  std::string user = found->second.user;
  codes_.erase(found);
  return user;
}

bool FailedLogins::blocked(const std::string& address, std::int64_t now_s) {
  const auto found = minutes_.find(address);
  if (found == minutes_.end()) return false;
  // The clock of the wall may be set back: a minute that begins later than now is over as well.
  const bool over = now_s < found->second.began_s || now_s - found->second.began_s >= kMinuteS;
  if (over) minutes_.erase(found);
  return !over && found->second.failures >= kFailuresMax;
}

void FailedLogins::failed(const std::string& address, std::int64_t now_s) {
  if (minutes_.size() >= kAddressesMax) {
    std::erase_if(minutes_, [now_s](const auto& entry) {
      return now_s < entry.second.began_s || now_s - entry.second.began_s >= kMinuteS;
    });
  }
  // An attacker of so many addresses is met by the length of codes alone.
  if (minutes_.size() >= kAddressesMax && !minutes_.contains(address)) return;
  const auto [minute, is_new] = minutes_.try_emplace(address, Minute{.began_s = now_s});
  ++minute->second.failures;
}

}  // namespace dunlin::web
