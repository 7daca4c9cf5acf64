// SPDX-License-Identifier: MIT
#include "sim/baseline/packing/claim.h"

#include <algorithm>
#include <utility>

#include "sched/inputs/input_rates.h"

namespace dunlin::sim {
namespace {

double seconds_of_task(const sched::TaskGroup& group) {
  // Where nothing is known of its length, all tasks count alike.
  return group.duration == overlay::Duration{0}
      ? 1
      : std::chrono::duration<double>(group.duration).count();
}

}  // namespace

Claim::Claim(const sched::Job& job, std::uint64_t order) : job_(job), order_(order) {
  for (std::size_t i = 0; i < job.groups.size(); ++i) {
    Stage& stage = stages_.emplace_back();
    stage.first = left_;
    stage.blockers = job.groups[i].after.size();
    stage.here = job.groups[i].demand;
    if (!job.groups[i].inputs.empty()) {
      stage.inputs = sched::InputIndex(job.groups[i], true);
      stage.here = sched::at_input(stage.here, sched::input_terms(job.groups[i].inputs, 0));
      stage.started.resize(job.groups[i].count);
    }
    // Work is counted as if each task ran beside its input.
    const Usage demand = usage_of(stage.here);
    const double seconds = seconds_of_task(job.groups[i]) * job.groups[i].count;
    for (std::size_t r = 0; r < kResourceKinds; ++r) work_[r] += demand[r] * seconds;
    left_ += job.groups[i].count;
  }
}

std::uint32_t Claim::waiting(std::size_t stage) const {
  return stages_[stage].blockers > 0 ? 0 : group(stage).count - stages_[stage].next;
}

double Claim::finished(std::size_t stage) const {
  return static_cast<double>(stages_[stage].ended) / group(stage).count;
}

std::uint32_t Claim::waiting_at(std::size_t stage, std::uint32_t machine) const {
  // Places of inputs are peers' numbers, which begin with 1; machines are counted from 0.
  return stages_[stage].inputs.left({machine + 1});
}

std::vector<std::uint32_t> Claim::sources(std::size_t stage) const {
  std::vector<std::uint32_t> machines;
  for (const sched::Endpoint& node : stages_[stage].inputs.sources(stages_[stage].passed)) {
    machines.push_back(static_cast<std::uint32_t>(node.id.value) - 1);
  }
  return machines;
}

std::uint32_t Claim::start(std::size_t stage, std::uint32_t machine, bool here) {
  Stage& of = stages_[stage];
  const Usage demand = usage_of(of.here);
  const double seconds = seconds_of_task(group(stage));
  for (std::size_t r = 0; r < kResourceKinds; ++r) {
    held_[r] += demand[r];
    // Work is a sum of doubles: what is left of it must not end a little below nothing.
    work_[r] = std::max(0.0, work_[r] - demand[r] * seconds);
  }
  const std::uint32_t count = of.next++;
  // Without inputs all tasks of a stage are alike, and go in their order.
  if (!of.inputs.any()) return of.first + count;
  const auto waits = [&](std::uint32_t task) { return !of.started[task]; };
  const std::uint32_t task = here ? of.inputs.next({machine + 1}, waits).value() : of.passed;
  of.inputs.wait(task, false);
  of.started[task] = true;
  // Tasks that started beside their inputs leave gaps; `passed` moves over those that are closed.
  while (of.passed < of.started.size() && of.started[of.passed]) ++of.passed;
  return of.first + task;
}

bool Claim::end(std::size_t stage) {
  const Usage demand = usage_of(stages_[stage].here);
  for (std::size_t r = 0; r < kResourceKinds; ++r) held_[r] -= demand[r];
  --left_;
  if (++stages_[stage].ended < group(stage).count) return false;
  bool opened = false;
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    const auto& waits_for = job_.groups[i].after;
    if (std::ranges::find(waits_for, stage) == waits_for.end()) continue;
    // Counted down first: behind `opened ||` it would be left out for all stages but one.
    opened = --stages_[i].blockers == 0 || opened;
  }
  return opened;
}

double dominant_share(const Usage& amounts, const Usage& total) {
  double largest = 0;
  for (std::size_t r = 0; r < kResourceKinds; ++r) {
    if (total[r] > 0) largest = std::max(largest, amounts[r] / total[r]);
  }
  return largest;
}

double sum_of_shares(const Usage& amounts, const Usage& total) {
  double sum = 0;
  for (std::size_t r = 0; r < kResourceKinds; ++r) {
    if (total[r] > 0) sum += amounts[r] / total[r];
  }
  return sum;
}

}  // namespace dunlin::sim
