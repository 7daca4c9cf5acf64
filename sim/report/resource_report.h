// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace dunlin::sim {

class Simulation;

/// Whole jobs, and the use of resources, for a terminal; empty where nothing of it is measured.
std::string resource_rows(const Simulation& run);

/// Makespan and completion of whole jobs, and records of some; empty if no workload names them.
nlohmann::ordered_json whole_jobs_json_of(const Simulation& run);
/// Allocation, use and over-allocation of each resource that machines declare, as parts of it; over
/// time, too, if that was asked for. Empty where tasks do not contend.
nlohmann::ordered_json resources_json_of(const Simulation& run);
/// The same over time as CSV, with a header.
std::string resources_csv_of(const Simulation& run);

}  // namespace dunlin::sim
