// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "overlay/params.h"

namespace dunlin::sim {

/// The way in which a trace is fitted to a cluster.
struct TraceParams {
  std::string data = "../shared/data";
  std::string file;
  double target_load = 0;
  double time_scale = 1;
  double keep_jobs = 1;
  double keep_tasks = 1;
  std::uint64_t jobs_max = 0;
  bool strict = false;
};

}  // namespace dunlin::sim

namespace dunlin::overlay {
template <>
inline constexpr std::string_view kSection<sim::TraceParams> = "trace";
template <>
inline constexpr auto kParams<sim::TraceParams> = std::tuple{
    Param<&sim::TraceParams::data>{{}, "The folder of traces; relative to the working folder."},
    Param<&sim::TraceParams::file>{{}, "The trace, within that folder. It may be gzipped."},
    Param<&sim::TraceParams::target_load>{{0.0, 4.0},
        "Time is stretched so that the jobs would keep this share of the cluster busy, from the "
        "first to the last. 0: as recorded."},
    Param<&sim::TraceParams::time_scale>{{1e-6, 1e6, Scale::log},
        "Length of a second between two arrivals. Tasks are as long as ever."},
    Param<&sim::TraceParams::keep_jobs>{{1e-6, 1.0, Scale::log},
        "Share of the jobs that is kept, by chance; jobs that wait for each other together."},
    Param<&sim::TraceParams::keep_tasks>{
        {1e-6, 1.0, Scale::log}, "Share of each job's tasks that is kept, but at least one."},
    Param<&sim::TraceParams::jobs_max>{
        {0, std::numeric_limits<std::int64_t>::max()}, "Only so many jobs. 0: all."},
    Param<&sim::TraceParams::strict>{{}, "A malformed line is an error, not a warning."},
};
}  // namespace dunlin::overlay
