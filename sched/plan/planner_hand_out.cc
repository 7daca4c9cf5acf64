// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "sched/plan/planner.h"

// What a plan becomes at the members: how many slots of each a job has, which job is served first,
// and which may have a slot that another still holds.
namespace dunlin::sched {
namespace {

/// Adds the first few of `others`, by rank, and all jobs that hold too many slots.
void add_offers(std::vector<cell::Allotted>& allotted, std::span<const cell::Allotted> others) {
  std::size_t offers = 0;
  std::size_t over = 0;
  for (const cell::Allotted& each : others) {
    const bool is_offer = each.total > 0 && offers < Planner::kOffersMax;
    const bool yields = each.over > 0 && over < Planner::kOverMax;
    if (!is_offer && !yields) continue;
    allotted.push_back(each);
    if (is_offer) ++offers;
    if (yields) ++over;
  }
}

}  // namespace

// Which job gets the next slot that falls free, of those with slots at the node and those to which
// it is offered. All of them have theirs in the end; the order only matters as long as others hold
// too many. What the policy wants for a job goes before slots that no job needs.
std::vector<std::uint32_t> Planner::ranks(
    std::span<const PlanJob> jobs, std::span<const JobPlan> plans) const {
  std::vector<std::size_t> order(jobs.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const bool by_deadline = rule_->policy == PlanPolicyName::edf;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) {
    const Duration left = jobs[i].time_left.value_or(Duration::max());
    const bool spare = plans[i].need == 0;
    return std::tuple(spare, by_deadline ? left : Duration{0}, -jobs[i].priority, left);
  });
  std::vector<std::uint32_t> ranks(jobs.size());
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    ranks[order[rank]] = static_cast<std::uint32_t>(rank);
  }
  return ranks;
}

/// Divides a plan among the members, and sets the courses of its jobs, which are those at `order`.
void Planner::hand_out(const PlanRecord& record,
    std::span<const PlanJob> jobs,
    std::span<const Jobs::iterator> order) {
  const std::vector<std::uint32_t> rank = ranks(jobs, record.plan.jobs);
  std::map<JobId, std::size_t> index;
  for (std::size_t i = 0; i < jobs.size(); ++i) index.emplace(jobs[i].job, i);
  std::vector<Course> given(jobs.size());
  std::vector<double> slowest(jobs.size(), 0);
  for (auto& [id, member] : members_) {
    member.allotted.clear();
    member.lacks.clear();
  }
  for (const Allotment& each : record.plan.allotments) {
    const std::size_t i = index.at(each.job);
    Member& member = members_.at(each.node);
    slowest[i] = slowest[i] == 0 ? member.speed : std::min(slowest[i], member.speed);
    const Endpoint& frontend = order[i]->second.frontend;
    member.allotted.push_back({.job = each.job,
        .frontend = frontend.id,
        .address = frontend.address,
        .slots = each.slots,
        .rank = rank[i]});
  }
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    given[i].slots = record.plan.jobs[i].slots;
    given[i].throughput = record.plan.jobs[i].throughput;
    given[i].in_time = record.plan.jobs[i].in_time;
    KnownJob& job = order[i]->second;
    set_course(record.made, job, given[i], slowest[i]);
    if (given[i].slots < job.claim.left) note_lack(job, given[i].slots);
  }
  offer_slots_held_by_others(order, given, rank);
  for (auto& [id, member] : members_) {
    std::ranges::sort(member.allotted, {}, &cell::Allotted::rank);
    const std::size_t kept = std::min(member.allotted.size(), cell::Allotments::kAllottedMax);
    member.allotted.resize(kept);
    // Counted at each node, ranks change only where the order does.
    for (std::size_t i = 0; i < kept; ++i) member.allotted[i].rank = static_cast<std::uint32_t>(i);
  }
}

// A manager that moves a slot cannot tell when the task in it ends. While tasks of some jobs hold
// more slots than the plan gives them, other jobs hold fewer. Each of these jobs may have the next
// slot that falls free at a member where any of them has slots. The member names the job's total,
// and the frontend hands out no task beyond it. Where every job holds its slots, the manager offers
// nothing, and tells no member of a slot that moves elsewhere.
//
// Where tasks yield by plan no job waits for that. A slot may be taken at any such member then, and
// only from a job that holds too many in all: to stop a task so that it begins anew elsewhere would
// lose its work and serve no job.
void Planner::offer_slots_held_by_others(std::span<const Jobs::iterator> order,
    std::span<const Course> given,
    std::span<const std::uint32_t> rank) {
  std::vector<cell::Allotted> offers;
  std::size_t lacking = 0;
  std::size_t over = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const KnownJob& job = order[i]->second;
    const std::uint32_t total = given[i].slots + job.claim.elsewhere;
    if (job.claim.held == total) continue;
    const std::uint32_t beyond = job.claim.held > total ? job.claim.held - total : 0;
    if (beyond == 0 && given[i].slots == 0) continue;
    ++(beyond > 0 ? over : lacking);
    offers.push_back({.job = job.claim.job,
        .frontend = job.frontend.id,
        .address = job.frontend.address,
        .rank = rank[i],
        .total = total,
        .over = beyond});
  }
  if (over == 0 || lacking == 0) return;
  std::ranges::sort(offers, {}, &cell::Allotted::rank);
  for (auto& [id, member] : members_) {
    std::vector<cell::Allotted> others = offers;
    for (cell::Allotted& each : member.allotted) {
      const auto own = std::ranges::find(others, each.job, &cell::Allotted::job);
      if (own == others.end()) continue;
      each.total = own->total;
      each.over = member.preempts ? own->over : 0;
      others.erase(own);
    }
    if (member.preempts) {
      add_offers(member.allotted, others);
    } else if (others.size() < offers.size()) {  // Else all its slots are held by their jobs.
      for (cell::Allotted& each : others) each.over = 0;
      std::erase_if(others, [](const cell::Allotted& each) { return each.total == 0; });
      add_offers(member.allotted, others);
    }
  }
}

/// Its frontend may claim the rest elsewhere.
void Planner::note_lack(const KnownJob& job, std::uint32_t slots) {
  const auto at = members_.find(job.frontend.id);
  if (at == members_.end() || at->second.lacks.size() >= cell::Allotments::kLacksMax) return;
  at->second.lacks.push_back({.job = job.claim.job, .slots = slots});
}

}  // namespace dunlin::sched
