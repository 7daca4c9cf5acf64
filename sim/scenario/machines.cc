// SPDX-License-Identifier: MIT
#include "sim/scenario/machines.h"

#include <algorithm>
#include <cmath>

#include "overlay/param_entries.h"
#include "overlay/rng.h"
#include "sched/constraints.h"
#include "sim/fields.h"

namespace dunlin::sim {
namespace {

/// The bounds of a machine's speed.
constexpr double kSpeedMin = 0.01;
constexpr double kSpeedMax = 100;

/// Machines of one make: the size of each, relative to the largest, and their number.
struct MachineClass {
  double cpu;
  double memory;
  std::uint32_t count;
};

// The cluster of Google's trace of 2011: 12,583 machines. Source: Reiss 2012, table 1; data CC-BY.
constexpr MachineClass kGoogle2011[] = {
    {0.5, 0.4995, 6732},
    {0.5, 0.2493, 3863},
    {0.5, 0.749, 1001},
    {1, 1, 795},
    {0.25, 0.2498, 126},
    {0.5, 0.1241, 52},
    {0.5, 0.03085, 5},
    {0.5, 0.9678, 5},
    {1, 0.5, 3},
    {0.5, 0.06158, 1},
};

/// A make with the probability of its share in the real cluster.
const MachineClass& draw_class(overlay::Rng& rng) {
  std::uint32_t all = 0;
  for (const MachineClass& each : kGoogle2011) all += each.count;
  std::uint32_t lot = rng.below(all);
  const MachineClass* drawn = std::begin(kGoogle2011);
  while (lot >= drawn->count) lot -= drawn++->count;
  return *drawn;
}

sched::Resources share_of(const sched::Resources& whole, const MachineClass& make) {
  const auto part = [](std::uint32_t amount, double share) {
    // Rounded to nothing, a machine would have none of it.
    return std::max(1u, static_cast<std::uint32_t>(std::lround(amount * share)));
  };
  sched::Resources share{
      .cpu = part(whole.cpu, make.cpu), .memory = part(whole.memory, make.memory), .custom = {}};
  for (const sched::Rate& rate : sched::kRates) {
    const std::uint32_t all = whole.*rate.amount;
    // The trace tells of CPU and memory only: rates are taken to grow with the CPUs.
    share.*rate.amount = all == 0 ? 0 : part(all, make.cpu);
  }
  return share;
}

}  // namespace

std::uint32_t kibibytes(double mebibytes) {
  return static_cast<std::uint32_t>(std::lround(mebibytes * 1024));
}

sched::Resources largest_machine(const ClusterParams& params) {
  return {.cpu = static_cast<std::uint32_t>(std::lround(params.cpus * 1000)),
      .memory = params.memory,
      .custom = {},
      .disk_read = kibibytes(params.disk_read),
      .disk_write = kibibytes(params.disk_write),
      .net_in = kibibytes(params.net_in),
      .net_out = kibibytes(params.net_out)};
}

Result<std::vector<double>> speeds_of(const ClusterParams& params) {
  // Commas and blanks alike: where a sweep lists values, commas stand between these.
  std::string text = params.speeds;
  std::ranges::replace(text, ',', ' ');
  std::string_view rest = text;
  std::vector<double> speeds;
  for (auto word = cut_word(rest); !word.empty(); word = cut_word(rest)) {
    const auto speed = number_in(word);
    if (!speed || *speed < kSpeedMin || *speed > kSpeedMax) {
      return failure(ErrorKind::usage,
          "cluster.speeds: '" + std::string(word) +
              "' is no speed from 0.01 to 100; expected a list as \"0.5, 1, 1.5\"");
    }
    speeds.push_back(*speed);
  }
  if (speeds.empty()) speeds.push_back(1);
  return speeds;
}

Fleet machines_of(const ClusterParams& params, std::uint64_t seed) {
  const sched::Resources largest = largest_machine(params);
  const std::vector<double> speeds = *speeds_of(params);
  std::vector<Machine> machines;
  machines.reserve(params.peers);
  // Not the run's own seed: machines must not be drawn from the numbers that jobs are drawn from.
  overlay::Rng rng{~seed};
  // Attributes have a stream of their own, so that they do not change how large machines are.
  overlay::Rng attributes = overlay::Rng{~seed}.fork();
  for (std::uint32_t i = 0; i < params.peers; ++i) {
    const bool equal = params.machines == Machines::equal;
    machines.push_back({.total = equal ? largest : share_of(largest, draw_class(rng)),
        .attributes = draw_attributes(params.constraints, attributes),
        // By turns, so that each speed has an equal part of the machines, also of few.
        .speed = speeds[i % speeds.size()]});
    if (params.speeds.empty()) continue;
    // As an operator says it to an agent.
    machines.back().attributes.push_back({"speed", overlay::number_text(machines.back().speed)});
  }
  return machines;
}

Eligibility::Flags Eligibility::of(const sched::TaskGroup& group) {
  if (group.constraints.empty()) return nullptr;
  std::string text;
  for (const auto& each : group.constraints) text += sched::to_string(each) + '\n';
  // By the text: jobs of a workload have few different constraints, and each costs a look at every
  // make.
  Flags& known = known_[text];
  if (known != nullptr) return known;
  std::vector<bool> flags;
  // Machines of a make are alike, so constraints are tested once for each make.
  std::vector<bool> makes;
  for (const Machine& make : machines_.makes()) {
    makes.push_back(sched::satisfies_all(make.attributes, group.constraints));
  }
  for (const std::uint32_t make : machines_.make_of()) flags.push_back(makes[make]);
  known = std::make_shared<const std::vector<bool>>(std::move(flags));
  return known;
}

bool Eligibility::any(const sched::TaskGroup& group) {
  const Flags flags = of(group);
  for (std::size_t i = 0; i < machines().size(); ++i) {
    if (flags != nullptr && !(*flags)[i]) continue;
    if (sched::fits(group.demand, sched::all_of(machines()[i].total))) return true;
  }
  return false;
}

}  // namespace dunlin::sim
