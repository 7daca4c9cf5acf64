// SPDX-License-Identifier: MIT
#include "sched/logs/set_watch.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "sched/directory/directory.h"

// A disk is lost with the identity of its node, or without it. A node that kept its identity says
// that its disk is another one. One that did not is another node to all others: it has the address
// of one that is gone, or its name and its machine.
namespace dunlin::sched::logs {
namespace {

/// A lost disk is not told of sooner: the books may be about to name another set.
constexpr Duration kLostFor = std::chrono::seconds(20);
/// No node of the set was there for so long that people should know where records are. They may
/// know better, if it is only switched off.
constexpr Duration kAwayFor = std::chrono::minutes(2);
constexpr Duration kSetAgain = std::chrono::seconds(1);

/// True if another node is where that one was.
bool is_replaced(const Directory& directory, const replica::Member& member, Time now) {
  const auto& nodes = directory.nodes();
  const auto before = nodes.find(member.node.id);
  const Facts* const facts =
      before != nodes.end() && before->second.facts ? &*before->second.facts : nullptr;
  return std::ranges::any_of(nodes, [&](const auto& each) {
    const auto& [id, other] = each;
    if (id == member.node.id || other.state(now) == NodeState::down) return false;
    if (other.descriptor.address == member.node.address) return true;
    if (facts == nullptr || !other.facts || facts->machine == 0) return false;
    return other.facts->name == facts->name && other.facts->machine == facts->machine;
  });
}

}  // namespace

std::vector<Endpoint> SetWatch::look(
    Time now, const Directory* directory, const replica::Set& set) {
  std::vector<Endpoint> unknown;
  if (now < next_) return unknown;
  next_ = now + kSetAgain;
  unknown_.clear();
  std::erase_if(lost_, [&](replica::ReplicaId each) { return !has(set, each); });
  for (const replica::Member& member : set) {
    if (directory == nullptr || !directory->nodes().contains(member.node.id)) {
      unknown.push_back(member.node);
      unknown_.insert(member.node.id);
    }
    if (directory == nullptr) continue;
    const auto at = directory->nodes().find(member.node.id);
    const bool up = at != directory->nodes().end() && at->second.state(now) != NodeState::down;
    const std::optional<Facts>* const facts = up ? &at->second.facts : nullptr;
    // A build of before copies names no disk.
    const std::uint64_t disk = up && *facts ? (*facts)->replica : 0;
    if (disk != 0 && disk != member.replica.value) {
      lost_.insert(member.replica);
    } else if (up) {
      there_ = now;
      if (disk != 0) lost_.erase(member.replica);
    } else if (is_replaced(*directory, member, now)) {
      lost_.insert(member.replica);
    }
  }
  return unknown;
}

void SetWatch::on_word(Time now, PeerId from) {
  if (unknown_.contains(from)) there_ = now;
}

std::optional<OrphanCause> SetWatch::verdict(Time now, const replica::Set& set) const {
  const auto is_lost = [&](const replica::Member& each) { return lost_.contains(each.replica); };
  const Duration silence = now - there_;
  if (set.empty() || silence < kLostFor) return std::nullopt;
  if (std::ranges::all_of(set, is_lost)) return OrphanCause::lost;
  return silence >= kAwayFor ? std::optional(OrphanCause::away) : std::nullopt;
}

}  // namespace dunlin::sched::logs
