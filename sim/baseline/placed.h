// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "sched/inputs/input_rates.h"
#include "sched/job.h"
#include "sched/turn.h"
#include "sim/scenario/machines.h"
#include "sim/workload/job_facts.h"

namespace dunlin::sim {

/// A job on its way through the cluster of a baseline.
struct Placed {
  sched::Job job;
  std::uint32_t frontend = 0;
  overlay::Time submitted{};
  std::uint32_t left = 0;       ///< Tasks that have not ended.
  std::uint32_t told = 0;       ///< Tasks whose end its frontend has heard of.
  Eligibility::Flags eligible;  ///< Machines that satisfy its constraints; null: all.

  /// As the record knows it: home and number.
  const sched::JobId& id() const { return job.id; }
  /// Of one task of its first group: of any, if it has no other.
  const sched::Resources& demand() const { return job.groups.front().demand; }
};
using PlacedJob = std::shared_ptr<Placed>;

/// True if `machine` satisfies the constraints of the job.
inline bool satisfies(std::uint32_t machine, const PlacedJob& job) {
  return job->eligible == nullptr || (*job->eligible)[machine];
}

/// A task: the `index`-th of the job, across all groups.
struct Work {
  PlacedJob job;
  std::uint32_t index = 0;
  std::uint32_t attempt = 1;
  sched::InputPlace input = sched::InputPlace::none;
  std::optional<std::uint32_t> source{};  ///< The machine that has its input, if it is elsewhere.

  /// The group that it is in, and its index there.
  struct InGroup {
    std::size_t group = 0;
    std::uint32_t index = 0;
  };
  InGroup in_group() const {
    InGroup place{.group = 0, .index = index};
    while (place.index >= job->job.groups[place.group].count) {
      place.index -= job->job.groups[place.group++].count;
    }
    return place;
  }
  const sched::TaskGroup& group() const { return job->job.groups[in_group().group]; }
  /// What it takes where it runs.
  sched::Resources demand() const {
    const sched::TaskGroup& of = group();
    if (input != sched::InputPlace::here) return of.demand;
    return sched::at_input(of.demand, sched::input_terms(of.inputs, 0));
  }
  /// What it takes of the machine that has its input.
  sched::Resources loan() const {
    return sched::borrowed_for_input(sched::input_terms(group().inputs, 0));
  }
};

}  // namespace dunlin::sim
