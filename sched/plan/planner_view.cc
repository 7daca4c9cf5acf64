// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>
#include <string>

#include "sched/plan/planner.h"

// What a planner says of its last plan: to members, to gossip, and to tests.
namespace dunlin::sched {

std::uint32_t Planner::spare() const {
  if (!rule_ || plans_.empty()) return 0;
  std::uint32_t spare = plans_.back().slots;
  for (const JobPlan& each : plans_.back().plan.jobs) spare -= std::min(spare, each.slots);
  return spare;
}

std::map<JobId, std::uint32_t> Planner::given() const {
  std::map<JobId, std::uint32_t> given;
  for (const auto& [id, job] : jobs_) given.emplace(id, job.course.slots);
  return given;
}

std::optional<cell::Allotments> Planner::allotments(PeerId id) const {
  const auto at = members_.find(id);
  if (number_ == 0 || !rule_ || at == members_.end()) return std::nullopt;
  const Member& member = at->second;
  return cell::Allotments{.member = id,
      .sequence = member.sequence,
      .plan = number_,
      .allotted = member.allotted,
      .lacks = member.lacks};
}

std::optional<std::string> Planner::broken_invariant() const {
  if (pending_) return std::nullopt;
  std::map<JobId, std::uint64_t> given;
  for (const auto& [id, member] : members_) {
    std::uint64_t used = 0;
    for (const cell::Allotted& each : member.allotted) {
      used += each.slots;
      given[each.job] += each.slots;
    }
    if (used > member.slots) {
      return "a plan gives " + std::to_string(used) + " of " + std::to_string(member.slots) +
          " slots";
    }
  }
  for (const auto& [job, slots] : given) {
    const auto at = jobs_.find(job);
    if (at != jobs_.end() && slots <= at->second.claim.left) continue;
    return "a plan gives job " + std::to_string(job.number) + " more slots than it can use";
  }
  return std::nullopt;
}

}  // namespace dunlin::sched
