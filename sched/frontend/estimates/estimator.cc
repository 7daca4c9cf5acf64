// SPDX-License-Identifier: MIT
#include "sched/frontend/estimates/estimator.h"

#include <algorithm>
#include <utility>

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
  const auto rate_differs = [&](const Rate& rate) {
    return differs(from.*rate.amount, to.*rate.amount);
  };
  return differs(from.cpu, to.cpu) || differs(from.memory, to.memory) ||
      std::ranges::any_of(kRates, rate_differs);
}

bool is_disk(const Rate& rate) {
  return rate.amount == &Resources::disk_read || rate.amount == &Resources::disk_write;
}

ProfileKey key_of(const JobState& job, std::uint16_t group) {
  return {.owner = job.job().owner, .job = job.job().name, .group = job.spec_of(group).name};
}

/// What tasks of the group used, by those that tell the most; empty if none do.
std::optional<Resources> known_use(const UseSamples& own, const std::optional<Profile>& before) {
  if (own.tasks() >= Estimator::kOwnMin || (own.tasks() > 0 && !before)) return own.estimate();
  if (!before) return std::nullopt;
  if (own.tasks() == 0) return before->demand;
  const Resources few = own.estimate();
  Resources more = before->demand;
  more.cpu = std::max(more.cpu, few.cpu);
  more.memory = std::max(more.memory, few.memory);
  for (const Rate& rate : kRates) {
    more.*rate.amount = std::max(more.*rate.amount, few.*rate.amount);
  }
  return more;
}

/// What of `wanted` is not `own`.
Guessed guessed(const Resources& own, const Resources& wanted) {
  Guessed guessed{.memory = wanted.memory != own.memory};
  for (std::size_t i = 0; i < kRates.size(); ++i) {
    const bool differs = wanted.*kRates[i].amount != own.*kRates[i].amount;
    if (differs) guessed.rates |= static_cast<std::uint8_t>(1u << i);
  }
  return guessed;
}

/// `used` of what a node has, if anything of it is known; no more than all of it, or the tasks
/// could run nowhere.
std::uint32_t within(std::uint32_t used, std::uint32_t node) {
  return node == 0 ? used : std::min(used, node);
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
    const JobState& job, std::uint16_t group, const GroupUse& use, const Resources& typical) const {
  const TaskGroup& spec = job.spec_of(group);
  Resources demand = use.own;
  const std::optional<Resources> used = known_use(use.samples, use.before);
  if (cpu_ && spec.cpu_unsaid && used && used->cpu > 0) demand.cpu = within(used->cpu, typical.cpu);
  if (memory_ && spec.memory_unsaid && !job.groups()[group].memory_too_little && used &&
      used->memory > 0) {
    demand.memory = within(used->memory, typical.memory);
  }
  if (!rates_) return demand;
  for (const Rate& rate : kRates) {
    const std::uint32_t node = typical.*rate.amount;
    // What no node declares is of no use to anyone.
    if (use.own.*rate.amount != 0 || node == 0) continue;
    if (used) {
      demand.*rate.amount = std::min((*used).*rate.amount, node);
    } else if (is_disk(rate)) {
      demand.*rate.amount = static_cast<std::uint32_t>(unknown_ * node);
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
    const Turn& turn, const Resources& typical, JobState& job) {
  JobUse& use = of(turn, job);
  use.next = turn.now + kReviewed;
  std::vector<std::uint16_t> changed;
  for (std::uint16_t i = 0; i < group_count(job); ++i) {
    GroupUse& group = use.groups[i];
    group.reviewed = group.samples.tasks();
    const TaskGroup& spec = job.spec_of(i);
    const Resources wanted = demand(job, i, group, typical);
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

void Estimator::close(const Turn& turn, JobState& job) {
  const auto use = jobs_.find(job.id().number);
  if (use == jobs_.end()) return;
  for (std::uint16_t i = 0; i < group_count(job); ++i) {
    const GroupUse& group = use->second.groups[i];
    job.estimate(i, group.own, {});
    if (turn.profiles == nullptr || group.samples.tasks() == 0) continue;
    const auto used = known_use(group.samples, group.before);
    const std::uint32_t before = group.before ? group.before->tasks : 0;
    turn.profiles->put(key_of(job, i), {*used, before + group.samples.tasks()});
  }
  jobs_.erase(use);
}

}  // namespace dunlin::sched
