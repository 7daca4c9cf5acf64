// SPDX-License-Identifier: MIT
#include "sched/frontend/estimates/estimator.h"

#include <algorithm>
#include <utility>

#include "sched/constraints.h"
#include "sched/hop.h"
#include "sched/packing/rate_bits.h"

namespace dunlin::sched {
namespace {

/// Between reviews that no news brings: nodes may have told what they declare.
constexpr Duration kReviewed = std::chrono::seconds(2);
/// A change by less than this part is none: reservations carry the demand, and would be replaced.
constexpr double kChange = 0.25;

bool differs(std::uint32_t from, std::uint32_t to) {
  if (from == 0 || to == 0) return from != to;
  const double change = static_cast<double>(to) / from - 1;
  return change >= kChange || change <= -kChange;
}

bool differs(const Resources& from, const Resources& to) {
  return std::ranges::any_of(
      kAmounts, [&](auto amount) { return differs(from.*amount, to.*amount); });
}

bool is_disk(const Rate& rate) {
  return rate.amount == &Resources::disk_read || rate.amount == &Resources::disk_write;
}

ProfileKey key_of(const JobState& job, std::uint16_t group) {
  return {.owner = job.job().owner, .job = job.job().name, .group = job.spec_of(group).name};
}

/// What tasks of the group used, by those that tell it best; empty if none do.
std::optional<Resources> known_use(const UseSamples& own, const std::optional<Profile>& before) {
  if (own.tasks() >= Estimator::kOwnMin || (own.tasks() > 0 && !before)) return own.estimate();
  if (!before) return std::nullopt;
  if (own.tasks() == 0) return before->demand;
  const Resources few = own.estimate();
  Resources more = before->demand;
  for (const auto amount : kAmounts) more.*amount = std::max(more.*amount, few.*amount);
  return more;
}

/// What of `wanted` is not `own`.
AmountSet guessed(const Resources& own, const Resources& wanted) {
  AmountSet set = 0;
  for (std::size_t i = 0; i < kAmounts.size(); ++i) {
    if (wanted.*kAmounts[i] != own.*kAmounts[i]) set |= static_cast<AmountSet>(1u << i);
  }
  return set;
}

/// Gossip says up to an eighth more of a rate than there is: see sched/packing/rate_bits.h.
std::uint32_t surely(std::uint32_t told) {
  return static_cast<std::uint32_t>(std::uint64_t{told} * 8 / 9);
}

/// What the smallest has, in each resource, of the nodes that could run a task of `spec` if it
/// demanded `own`, and that declare it. Nothing if there are none.
Resources smallest_node(
    std::span<const overlay::Neighbour> nodes, const TaskGroup& spec, const Resources& own) {
  const Wanted wanted{
      .demand = own, .signature = demanded_signature(spec.constraints, own), .visited = {}};
  Resources smallest;
  const auto lower = [](std::uint32_t& known, std::uint32_t amount) {
    if (amount != 0 && (known == 0 || amount < known)) known = amount;
  };
  for (const overlay::Neighbour& node : nodes) {
    if (!could_fit(wanted, node.peer)) continue;
    const Resources total = told_total(node.peer);
    lower(smallest.cpu, total.cpu);
    lower(smallest.memory, total.memory);
    for (const Rate& rate : kRates) lower(smallest.*rate.amount, surely(total.*rate.amount));
  }
  return smallest;
}

/// `used`, as far as a node has it; `own` if that is unknown.
std::uint32_t within(std::uint32_t used, std::uint32_t node, std::uint32_t own) {
  if (node == 0 || used == 0) return own;
  return std::min(used, std::max(node, own));
}

}  // namespace

void Estimator::accept(Job& job) const {
  for (TaskGroup& group : job.groups) {
    group.cpu_unsaid = group.cpu_unsaid && cpu_;
    group.memory_unsaid = group.memory_unsaid && memory_;
  }
}

Estimator::JobUse& Estimator::of(const Turn& turn, const JobState& job) {
  JobUse& use = jobs_[job.id().number];
  if (!use.groups.empty()) return use;
  for (std::uint16_t i = 0; i < group_count(job); ++i) {
    GroupUse& group = use.groups.emplace_back();
    group.own = job.spec_of(i).demand;
    if (turn.profiles != nullptr) group.before = turn.profiles->find(key_of(job, i));
  }
  return use;
}

Resources Estimator::demand(
    const JobState& job, std::uint16_t group, const GroupUse& use, const Resources& node) const {
  const TaskGroup& spec = job.spec_of(group);
  Resources demand = use.own;
  const std::optional<Resources> used = known_use(use.samples, use.before);
  if (use.given_up) return demand;
  if (cpu_ && spec.cpu_unsaid && used) demand.cpu = within(used->cpu, node.cpu, demand.cpu);
  // A task that is killed for lack of what was guessed runs again, unless none may.
  const bool guesses_memory = memory_ && spec.memory_unsaid && !job.runs_once();
  if (guesses_memory && !job.groups()[group].memory_too_little && used) {
    demand.memory = within(used->memory, node.memory, demand.memory);
  }
  if (!rates_) return demand;
  for (const Rate& rate : kRates) {
    const std::uint32_t bound = node.*rate.amount;
    // Where no node declares a rate, none is short.
    if (use.own.*rate.amount != 0 || bound == 0) continue;
    if (used) {
      demand.*rate.amount = std::min((*used).*rate.amount, bound);
    } else if (is_disk(rate)) {
      demand.*rate.amount = static_cast<std::uint32_t>(unknown_ * bound);
    }
  }
  return demand;
}

bool Estimator::is_due(const JobState& job, Time now) const {
  if (!learns_anything()) return false;
  const auto use = jobs_.find(job.id().number);
  if (use == jobs_.end() || use->second.next <= now) return true;
  return std::ranges::any_of(use->second.groups, [](const GroupUse& group) {
    const std::uint32_t known = group.samples.tasks();
    // While few are known each of them is news; later the last ones must have changed.
    return known > group.reviewed && (known <= kOwnMin || known >= 2 * group.reviewed);
  });
}

std::vector<std::uint16_t> Estimator::review(
    const Turn& turn, std::span<const overlay::Neighbour> nodes, JobState& job) {
  JobUse& use = of(turn, job);
  use.next = turn.now + kReviewed;
  std::vector<std::uint16_t> changed;
  for (std::uint16_t i = 0; i < group_count(job); ++i) {
    GroupUse& group = use.groups[i];
    group.reviewed = group.samples.tasks();
    const TaskGroup& spec = job.spec_of(i);
    const Resources wanted = demand(job, i, group, smallest_node(nodes, spec, group.own));
    if (!differs(spec.demand, wanted)) continue;
    job.estimate(i, wanted, guessed(group.own, wanted));
    changed.push_back(i);
  }
  return changed;
}

void Estimator::learn(const JobState& job, const Report& report) {
  const auto use = jobs_.find(job.id().number);
  if (use == jobs_.end()) return;
  // Its group may have had too little memory.
  if (report.outcome == Outcome::out_of_memory) use->second.next = Time{};
  if (!is_success(report)) return;
  use->second.groups[job.group_of(report.index)].samples.add(peaks_of(report));
}

void Estimator::on_bounced(const JobState& job, std::uint16_t group, BounceReason reason) {
  if (reason != BounceReason::never_fits && reason != BounceReason::express) return;
  const auto use = jobs_.find(job.id().number);
  if (use == jobs_.end()) return;
  if (job.groups()[group].guessed == 0) return;
  use->second.groups[group].given_up = true;
  use->second.next = Time{};
}

void Estimator::close(const Turn& turn, JobState& job) {
  const auto use = jobs_.find(job.id().number);
  if (use == jobs_.end()) return;
  for (std::uint16_t i = 0; i < group_count(job); ++i) {
    const GroupUse& group = use->second.groups[i];
    job.estimate(i, group.own, 0);
    if (turn.profiles == nullptr || group.samples.tasks() == 0) continue;
    const auto used = known_use(group.samples, group.before);
    const std::uint32_t before = group.before ? group.before->tasks : 0;
    turn.profiles->put(key_of(job, i), {*used, before + group.samples.tasks()});
  }
  jobs_.erase(use);
}

}  // namespace dunlin::sched
