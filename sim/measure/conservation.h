// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "sim/measure/recorder.h"

namespace dunlin::sim {

/// What a workload gave, as the one who hands its jobs in has counted it.
struct Offered {
  std::uint64_t arrived = 0;        ///< Jobs, or stages of jobs, that came from it.
  std::uint64_t submitted = 0;      ///< Of which so many were handed to a frontend ...
  std::uint64_t held = 0;           ///< ... so many wait for others to end ...
  std::uint64_t on_the_way = 0;     ///< ... and so many were to be submitted after the end.
  std::uint64_t measured_held = 0;  ///< Those of the held ones that arrived in the window.
};

/// What became of everything by the end of a run: each job is in one of them.
struct Fates {
  std::uint64_t finished = 0;    ///< All tasks have their results; some may have failed.
  std::uint64_t cancelled = 0;   ///< Finished, with tasks that were cancelled.
  std::uint64_t unfinished = 0;  ///< A node that is up still knows it.
  std::uint64_t lost = 0;        ///< None does.
};

/// Counts the fates of all accepted jobs, or of the measured ones. `knows` says whether a node
/// that is up knows a job; empty: always.
Fates fates_of(
    const Recorder& recorder, bool measured, const std::function<bool(const sched::JobId&)>& knows);

/// The laws of conservation: no job, task, attempt or work comes from nowhere or goes nowhere.
/// Empty if all hold, else the first that does not, with its numbers.
std::string broken_law(const Recorder& recorder, const Offered& offered, const Fates& fates);

}  // namespace dunlin::sim
