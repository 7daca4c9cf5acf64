// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "overlay/params.h"
#include "overlay/time.h"

namespace dunlin::sim {

/// The rates of disk and network that tasks of a trace demand, and take.
enum class TraceRates : std::uint8_t {
  none,
  drawn,  ///< By chance, for each group of tasks, between the bounds of [mapreduce].
  bytes,  ///< Those that the bytes of a task give, where the trace tells them.
};

/// The way in which a trace is fitted to a cluster.
struct TraceParams {
  std::string data = "../shared/data";
  std::string file;
  double target_load = 0;
  double time_scale = 1;
  double keep_jobs = 1;
  double keep_tasks = 1;
  std::uint64_t jobs_max = 0;
  double sample = 1;
  std::uint64_t start = 0;
  double run_scale = 1;
  overlay::Duration batch{0};
  double deadline_factor = 0;
  std::uint32_t deadline_slots = 4;
  bool priority_by_user = false;
  bool strict = false;
  bool whole = false;
  TraceRates rates = TraceRates::none;
};

}  // namespace dunlin::sim

namespace dunlin::overlay {
template <>
inline constexpr std::string_view kWords<sim::TraceRates>[] = {"none", "drawn", "bytes"};

/// See overlay/params.h.
void append_entries(sim::TraceParams& params, std::vector<ParamEntry>& entries);
}  // namespace dunlin::overlay
