// SPDX-License-Identifier: MIT
#include "sched/federation/local/roll.h"

#include <algorithm>

namespace dunlin::sched::federation {
namespace {

/// A member that missed the first calls may hear of the election late: it is called so often.
constexpr Duration kLater = std::chrono::seconds(1);

}  // namespace

std::vector<PeerId> Roll::set_members(std::span<const Endpoint> members) {
  std::map<PeerId, Member> now;
  for (const Endpoint& each : members) {
    const auto known = members_.find(each.id);
    Member& member = now[each.id];
    if (known != members_.end()) member = known->second;
    if (known == members_.end()) next_ = Time{};
    // By its own word, it is where it spoke from.
    if (member.heard == Time::min()) member.address = each.address;
  }
  std::vector<PeerId> gone;
  for (const auto& [id, member] : members_) {
    if (!now.contains(id)) gone.push_back(id);
  }
  members_ = std::move(now);
  return gone;
}

void Roll::heard(Time now, const Endpoint& member) {
  const auto known = members_.find(member.id);
  if (known == members_.end()) return;
  known->second.heard = now;
  known->second.address = member.address;
  known->second.calls = 0;
}

std::optional<Time> Roll::oldest_word() const {
  std::optional<Time> oldest;
  for (const auto& [id, member] : members_) {
    if (member.heard == Time::min()) continue;
    oldest = oldest ? std::min(*oldest, member.heard) : member.heard;
  }
  return oldest;
}

Duration Roll::patience(const Member& member) const {
  return member.calls < params_.launch_tries ? params_.launch_timeout : kLater;
}

Roll::Calls Roll::call(Time now) {
  Calls calls;
  next_ = kNever;
  for (auto& [id, member] : members_) {
    const bool is_new = member.begun == Time::min();
    const bool begins = is_new || now >= member.begun + params_.heartbeat;
    if (begins) {
      if (!is_new && member.calls >= params_.launch_tries) calls.silent.push_back(id);
      member.begun = now;
      member.calls = 0;
    }
    const bool waits = member.calls > 0;
    if (begins || (waits && now >= member.called + patience(member))) {
      ++member.calls;
      member.called = now;
      calls.to.push_back({id, member.address});
    }
    next_ = std::min(next_, member.begun + params_.heartbeat);
    if (member.calls > 0) next_ = std::min(next_, member.called + patience(member));
  }
  return calls;
}

}  // namespace dunlin::sched::federation
