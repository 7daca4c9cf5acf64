// SPDX-License-Identifier: MIT
#include "node/store/grouped_refusals.h"

#include <utility>

// Refusals that repeat each other become two rows: the first at once, and how many followed, when a
// while has passed. Groups are bounded for each user and in all; beyond that they count together as
// "others". So a client that asks again and again fills neither memory nor the log.
namespace dunlin::node {

std::size_t GroupedRefusals::groups_of(const std::string& user) const {
  std::size_t count = 0;
  for (auto at = groups_.lower_bound(Key{user, false, "", ""});
      at != groups_.end() && std::get<0>(at->first) == user; ++at) {
    ++count;
  }
  return count;
}

void GroupedRefusals::put(ActionRow refusal, std::vector<ActionRow>& out) {
  close(refusal.at, out);
  Key key{refusal.user, refusal.remote, refusal.verb, refusal.object};
  auto at = groups_.find(key);
  if (at == groups_.end() &&
      (groups_.size() >= kGroupsMax || groups_of(refusal.user) >= kGroupsPerUser)) {
    std::get<3>(key) = refusal.object = "others";
    at = groups_.find(key);
  }
  if (at != groups_.end()) {
    ++at->second.more;
    at->second.last = refusal.at;
    return;
  }
  groups_.emplace(std::move(key), Group{.begun = refusal.at, .last = refusal.at});
  out.push_back(std::move(refusal));
}

void GroupedRefusals::record(const Key& key, const Group& group, std::vector<ActionRow>& out) {
  if (group.more == 0) return;
  const auto& [user, remote, verb, object] = key;
  const std::string times =
      std::to_string(group.more) + (group.more == 1 ? " time more" : " times more");
  out.push_back({.at = group.last,
      .user = user,
      .remote = remote,
      .verb = verb,
      .object = object.empty() ? times : object + ", " + times,
      .refused = true});
}

void GroupedRefusals::close(std::int64_t now, std::vector<ActionRow>& out) {
  // The wall clock may be set back: such a group ends now.
  const auto over = [&](const Group& group) {
    return now < group.begun || now - group.begun >= kWithin;
  };
  if (now >= looked_ && now - looked_ < kLook) return;
  looked_ = now;
  std::erase_if(groups_, [&](const auto& each) {
    if (!over(each.second)) return false;
    record(each.first, each.second, out);
    return true;
  });
}

void GroupedRefusals::close_all(std::vector<ActionRow>& out) {
  for (const auto& [key, group] : groups_) record(key, group, out);
  groups_.clear();
}

}  // namespace dunlin::node
