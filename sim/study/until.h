// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/study/summary.h"

namespace dunlin::sim {

/// Without two runs there is no interval, and of two it is 12.7 standard errors wide.
inline constexpr std::uint32_t kRunsAtFirst = 3;

/// The runs that each row of a study needs, so that half of the measure's interval is at most
/// `until` of its mean: those it has if it is so, or if it has no such figure; else as many as its
/// spread so far suggests, at most twice as many as now, and at most `runs_max`.
std::vector<std::uint32_t> wanted_runs(
    const Summary& summary, std::size_t measure, double until, std::uint32_t runs_max);

/// The runs that each row has.
std::vector<std::uint32_t> runs_of(const Summary& summary);

/// True if the interval of an estimate is that narrow.
bool is_narrow(const Estimate& estimate, double until);

/// "2 of 12 combinations are not within 5 % after 100 runs", for those that wanted_runs() gave up;
/// empty if there are none.
std::string wide_rows(
    const Summary& summary, std::size_t measure, double until, std::uint32_t runs_max);

}  // namespace dunlin::sim
