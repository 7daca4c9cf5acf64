// SPDX-License-Identifier: MIT
#include "sched/replica/followers.h"

#include <algorithm>

namespace dunlin::sched::replica {
namespace {

/// Members of a set at most: see books::LogEntry.
constexpr std::size_t kSetMax = 5;

}  // namespace

void Followers::add(
    Time now, const Member& member, std::uint64_t sent, std::optional<std::uint64_t> acked) {
  all_.try_emplace(member.replica,
      Follower{.member = member, .acked = acked, .sent = sent, .heard = now, .sent_at = {}});
}

Follower* Followers::find(ReplicaId replica) {
  const auto at = all_.find(replica);
  return at == all_.end() ? nullptr : &at->second;
}

const Follower* Followers::find(ReplicaId replica) const {
  const auto at = all_.find(replica);
  return at == all_.end() ? nullptr : &at->second;
}

// One that does not want the log is kept in mind, or it would be chosen again and again.
void Followers::drop(Time now, const HomeParams& params, const HomeRecord& office) {
  std::erase_if(all_, [&](const auto& item) {
    const Follower& each = item.second;
    const bool over =
        each.stays() ? each.is_silent(now, params.patience) : now - each.heard >= params.shunned;
    return !names(office, item.first) && over;
  });
}

std::size_t Followers::well(Time now, const HomeParams& params) const {
  return static_cast<std::size_t>(std::ranges::count_if(all_, [&](const auto& item) {
    return item.second.stays() && !item.second.is_silent(now, params.patience);
  }));
}

const Follower* Followers::successor(Time now, const HomeParams& params, const Set& set) const {
  const Follower* best = nullptr;
  for (const Member& member : set) {
    const auto at = all_.find(member.replica);
    if (at == all_.end() || !at->second.acked) continue;
    const Follower& each = at->second;
    if (!each.stays() || each.is_silent(now, params.patience)) continue;
    if (best == nullptr || *each.acked > *best->acked) best = &each;
  }
  return best;
}

bool Followers::all_silent(Time now, const HomeParams& params, const HomeRecord& office) const {
  bool has_standbys = false;
  for (const auto& [id, each] : all_) {
    if (!names(office, id)) continue;
    has_standbys = true;
    if (!each.is_silent(now, params.deaf_after)) return false;
  }
  return has_standbys;
}

void Followers::grow(Time now,
    const HomeParams& params,
    const HomeRecord& office,
    std::uint64_t needed,
    Set& set) const {
  const auto stays = [&](const Member& member) {
    const auto at = all_.find(member.replica);
    return at == all_.end() || at->second.stays();
  };
  for (const auto& [id, each] : all_) {
    const auto staying = static_cast<std::size_t>(std::ranges::count_if(set, stays));
    if (staying > params.standbys || has(office.set, id) || !each.stays()) continue;
    if (!each.acked || each.is_silent(now, params.patience) || set.size() == kSetMax) continue;
    if (*each.acked < needed) continue;
    // A node's new disk takes the place of its old one.
    std::erase_if(set, [&](const Member& member) { return member.node.id == each.member.node.id; });
    set.push_back(each.member);
  }
}

// A member that leaves is in sync still, so it stays until another has taken its place, if any
// comes. One in trouble holds up every word, as one that is silent does. If the home heard no other
// node since a member fell silent, it may be the home that is cut off.
Set Followers::next_set(Time now,
    const HomeParams& params,
    const HomeRecord& office,
    Time heard,
    std::uint64_t needed) const {
  Set set;
  for (const Member& member : office.set) {
    const auto at = all_.find(member.replica);
    const bool known = at != all_.end();
    const bool silent = known && at->second.is_silent(now, params.patience);
    const bool gone = (silent && heard >= *at->second.unanswered) || (known && at->second.trouble);
    if (!gone) set.push_back(member);
  }
  grow(now, params, office, needed, set);
  const bool others_come = std::ranges::any_of(all_, [&](const auto& item) {
    const Follower& each = item.second;
    return each.stays() && !each.is_silent(now, params.patience) && !has(set, item.first);
  });
  const auto leaves = [&](const Member& member) {
    const auto at = all_.find(member.replica);
    return at != all_.end() && at->second.leaves;
  };
  while (set.size() > 1 + params.required) {
    const auto leaver = std::ranges::find_if(set, leaves);
    if (leaver == set.end() || (set.size() <= 1 + params.standbys && others_come)) break;
    set.erase(leaver);
  }
  return set;
}

}  // namespace dunlin::sched::replica
