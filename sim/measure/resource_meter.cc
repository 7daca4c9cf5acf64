// SPDX-License-Identifier: MIT
#include "sim/measure/resource_meter.h"

#include <algorithm>
#include <limits>

// Sums over the cluster change by what changes on one machine, so an event costs no time in the
// size of the cluster. Integrals run from the first begin, and are remembered at the last begin and
// the last end so far: which of these will be the last of all, only the end of the run tells.
namespace dunlin::sim {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
/// Looks that are kept at most: beyond that each second one is dropped, and looks come half as
/// often.
constexpr std::size_t kLooksMax = 4096;

}  // namespace

ResourceMeter::ResourceMeter(const Fleet& machines, Duration period) : period_(period) {
  for (const Machine& each : machines.all()) {
    Load& load = machines_.emplace_back(Load{.total = usage_of(each.total)});
    for (std::size_t i = 0; i < kResourceKinds; ++i) {
      total_[i] += load.total[i];
      // What is not declared has no limit on one machine, and no part in the cluster's total.
      if (load.total[i] == 0) load.total[i] = kInfinite;
    }
  }
}

void ResourceMeter::count(const Load& load, double sign) {
  for (std::size_t i = 0; i < kResourceKinds; ++i) {
    const double room = i > kMemoryKind ? load.total[i] * (1 - load.background) : load.total[i];
    moment_.used[i] += sign * std::min(load.wanted[i], room);
    moment_.over[i] += sign * std::max(0.0, load.wanted[i] - room);
  }
}

void ResourceMeter::advance(Time now) {
  const auto elapsed = static_cast<double>((now - sum_.at).count());
  sum_.at = now;
  for (std::size_t i = 0; i < kResourceKinds; ++i) {
    sum_.parts.allocated[i] += elapsed * moment_.allocated[i];
    sum_.parts.used[i] += elapsed * moment_.used[i];
    sum_.parts.over[i] += elapsed * moment_.over[i];
  }
  // A look is due at the first change after its period: in between nothing is there to be seen, as
  // all is constant.
  if (period_ == Duration{0} || last_number_ == 0 || now - looked_.at < period_) return;
  looks_.push_back({.at = now, .parts = parts_between(looked_, sum_)});
  looked_ = sum_;
  if (looks_.size() < kLooksMax) return;
  for (std::size_t i = 0; i < looks_.size() / 2; ++i) looks_[i] = looks_[2 * i + 1];
  looks_.resize(looks_.size() / 2);
  period_ *= 2;
}

void ResourceMeter::change(Time now, const Task& task, double sign) {
  advance(now);
  Load& load = machines_[task.machine];
  // Used and over are no sums over tasks, as a machine caps them: its part is taken out, and put
  // back as it is then.
  count(load, -1);
  for (std::size_t i = 0; i < kResourceKinds; ++i) {
    load.wanted[i] += sign * task.use[i];
    moment_.allocated[i] += sign * task.demand[i];
  }
  count(load, 1);
}

std::uint64_t ResourceMeter::begin(
    Time now, std::uint32_t machine, const Usage& demand, const Usage& use) {
  const Task task{.machine = machine, .demand = demand, .use = use};
  // Nothing ran before: time up to here must not count as idle.
  if (last_number_ == 0) sum_.at = now;
  change(now, task, 1);
  if (last_number_ == 0) first_ = looked_ = sum_;
  last_begin_ = sum_;
  running_.emplace(++last_number_, task);
  return last_number_;
}

void ResourceMeter::end(Time now, std::uint64_t number) {
  const auto found = running_.find(number);
  if (found == running_.end()) return;
  change(now, found->second, -1);
  last_end_ = sum_;
  running_.erase(found);
}

void ResourceMeter::set_background(Time now, std::uint32_t machine, double share) {
  if (!measures()) return;
  advance(now);
  count(machines_[machine], -1);
  machines_[machine].background = share;
  count(machines_[machine], 1);
}

ResourceParts ResourceMeter::parts_between(const Integral& from, const Integral& to) const {
  ResourceParts parts;
  const auto length = static_cast<double>((to.at - from.at).count());
  if (length <= 0) return parts;
  for (std::size_t i = 0; i < kResourceKinds; ++i) {
    // A share of nothing would be infinite.
    if (total_[i] == 0) continue;
    const double all = total_[i] * length;
    parts.allocated[i] = (to.parts.allocated[i] - from.parts.allocated[i]) / all;
    parts.used[i] = (to.parts.used[i] - from.parts.used[i]) / all;
    parts.over[i] = (to.parts.over[i] - from.parts.over[i]) / all;
  }
  return parts;
}

ResourceMeter::Result ResourceMeter::result() const {
  Result result{.mean = parts_between(first_, last_end_)};
  const Usage crowded = parts_between(first_, last_begin_).allocated;
  const auto busiest = std::ranges::max_element(crowded);
  result.busiest = static_cast<std::size_t>(busiest - crowded.begin());
  result.fragmented = measures() && last_number_ > 0 ? std::max(0.0, 1 - *busiest) : 0;
  return result;
}

}  // namespace dunlin::sim
