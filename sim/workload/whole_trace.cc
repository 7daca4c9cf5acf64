// SPDX-License-Identifier: MIT
#include "sim/workload/whole_trace.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "sched/frontend/stages/stage_names.h"
#include "sim/scenario/machines.h"
#include "sim/workload/task_bytes.h"

// A trace of stages becomes one of whole jobs: those of one family are groups of one job, which
// wait for each other. All of it is read at once, as the last stage of a job may stand anywhere.
namespace dunlin::sim {
namespace {

/// Gives each group rates of its own: one that waits for none reads its input from a disk, others
/// fetch theirs; none takes more than a machine has.
void draw_rates(
    sched::Job& job, const MapReduceParams& params, const sched::Resources& machine, Rng& rng) {
  const auto draw = [&](const std::string& bounds, std::uint32_t bound) {
    const double value = value_in(sound_span(bounds), draw_normal(rng), params.variation);
    return bound == 0 ? 0 : std::min(kibibytes(value), bound);
  };
  for (sched::TaskGroup& group : job.groups) {
    if (group.after.empty()) {
      group.demand.disk_read = draw(params.map_read, machine.disk_read);
      group.demand.disk_write = draw(params.map_write, machine.disk_write);
    } else {
      group.demand.net_in = draw(params.reduce_in, machine.net_in);
      group.demand.net_out = draw(params.reduce_out, machine.net_out);
      group.demand.disk_write = draw(params.reduce_write, machine.disk_write);
    }
  }
}

/// The time that the longest chain of groups takes, each as long as its longest task.
Duration longest_chain(const sched::Job& job) {
  std::vector<Duration> ends(job.groups.size(), Duration{-1});
  Duration last{0};
  // Groups wait for groups in any order, never in a circle: each round ends one group at least.
  for (std::size_t round = 0; round < job.groups.size(); ++round) {
    for (std::size_t i = 0; i < job.groups.size(); ++i) {
      const sched::TaskGroup& group = job.groups[i];
      Duration begin{0};
      bool ready = ends[i] < Duration{0};
      for (const std::uint16_t parent : group.after) {
        ready = ready && ends[parent] >= Duration{0};
        begin = std::max(begin, ends[parent]);
      }
      if (!ready) continue;
      Duration longest{0};
      for (std::uint32_t task = 0; task < group.count; ++task) {
        longest = std::max(longest, duration_of(group, task));
      }
      ends[i] = begin + longest;
      last = std::max(last, ends[i]);
    }
  }
  return last;
}

}  // namespace

std::optional<Duration> deadline_of_whole(const TraceParams& params, const Submission& whole) {
  if (params.deadline_factor == 0) return std::nullopt;
  double work = 0;
  for (const sched::TaskGroup& group : whole.job.groups) {
    for (std::uint32_t task = 0; task < group.count; ++task) {
      work += static_cast<double>(duration_of(group, task).count());
    }
  }
  const double chain = static_cast<double>(longest_chain(whole.job).count());
  // The longer of two bounds from below: no schedule is faster than the chain, or than all work on
  // those slots.
  return Duration{
      std::llround(params.deadline_factor * std::max(chain, work / params.deadline_slots))};
}

Submission join_stages(std::vector<Submission> parts, std::uint64_t key) {
  // A job has a bound on its groups; stages beyond it are left out of the whole.
  parts.resize(std::min(parts.size(), sched::kJobGroupsMax));
  std::map<std::uint64_t, std::uint16_t> index;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    index[parts[i].facts.key] = static_cast<std::uint16_t>(i);
  }
  // It arrives with its first stage.
  Submission whole = parts.front();
  whole.parents.clear();
  whole.job.groups.clear();
  whole.facts.key = whole.facts.whole = key;
  double time = 0;
  double tasks = 0;
  for (const Submission& part : parts) {
    sched::TaskGroup& group = whole.job.groups.emplace_back(part.job.groups.front());
    group.name = "g" + std::to_string(whole.job.groups.size());
    for (const std::uint64_t parent : part.parents) {
      const auto before = index.find(parent);
      // A parent that the trace does not have is taken as ended.
      if (before != index.end()) group.after.push_back(before->second);
    }
    std::ranges::sort(group.after);
    whole.facts.longest = std::max(whole.facts.longest, part.facts.longest);
    time += static_cast<double>(part.facts.mean.count()) * group.count;
    tasks += group.count;
  }
  whole.facts.mean = Duration{std::llround(time / tasks)};
  // A trace may be cut, or wrong: what waits for itself waits for nothing.
  if (!sched::has_sound_stages(whole.job.groups)) {
    for (sched::TaskGroup& group : whole.job.groups) group.after.clear();
  }
  return whole;
}

WholeTrace::WholeTrace(std::unique_ptr<Workload> stages,
    const TraceParams& params,
    const MapReduceParams& rates,
    const sched::Resources& machine,
    Rng rng)
    : stages_(std::move(stages)) {
  std::vector<std::vector<Submission>> families;
  std::map<std::uint64_t, std::size_t> of_family;
  while (auto stage = stages_->next()) {
    const std::uint64_t family = stage->facts.family;
    const auto [known, is_new] = of_family.emplace(family, families.size());
    // 0: it belongs to none, and is a job by itself.
    if (family == 0 || is_new) {
      known->second = families.size();
      families.emplace_back();
    }
    families[known->second].push_back(*std::move(stage));
  }
  for (std::vector<Submission>& parts : families) {
    Submission& job = jobs_.emplace_back(join_stages(std::move(parts), jobs_.size() + 1));
    job.job.deadline = deadline_of_whole(params, job);
    if (params.rates == TraceRates::drawn) draw_rates(job.job, rates, machine, rng);
  }
}

std::optional<Submission> WholeTrace::next() {
  if (next_ == jobs_.size()) return std::nullopt;
  return std::move(jobs_[next_++]);
}

}  // namespace dunlin::sim
