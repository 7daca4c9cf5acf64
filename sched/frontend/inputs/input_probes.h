// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sched/frontend/job_state.h"
#include "sched/frontend/placement/placement.h"

// What workers hear of the inputs of a group's tasks, and which of them are asked first.
namespace dunlin::sched {

/// The terms of the group for a worker: see InputTerms. None if no input of it has a place.
std::vector<InputTerms> terms_at(const JobState& job, std::uint16_t group, PeerId worker);

/// The length of the group's tasks as the worker is told it: that of all, `told`, or none if it has
/// the input of some that perhaps can run nowhere else. It may keep its last CPU for short tasks.
Duration length_at(const JobState& job, std::uint16_t group, PeerId worker, Duration told);

/// Adds to an answer for `worker` which of its tasks are remote there, and where their inputs are.
/// `here`: the worker asked for tasks with their input there.
void add_inputs(
    Tasks& tasks, const JobState& job, PeerId worker, bool here, const Surroundings& around);

/// Lets up to half of `hops`, and at least one, go to nodes with inputs of tasks that wait: those
/// that are known to have room first, then those with most such tasks, else by chance. A node where
/// a reservation of the group is, one of `avoided` and one that a hop leads to already is left out.
void probe_inputs_first(std::vector<Hop>& hops,
    const JobState& job,
    std::uint16_t group,
    std::span<const Probe> out,
    std::span<const PeerId> avoided,
    const Surroundings& around,
    Rng& rng);

}  // namespace dunlin::sched
