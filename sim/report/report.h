// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "overlay/result.h"
#include "sim/engine/simulation.h"

namespace dunlin::sim {

/// "1.50 ms", "13.7 s": three digits and the unit that suits.
std::string short_text(Duration duration);
/// "-" if there is none.
std::string short_or_dash(std::optional<Duration> duration);
/// "1,234,567".
std::string grouped(std::uint64_t value);

/// The figures of a run, for a terminal. They are the same on any machine.
std::string table_of(const Simulation& run);
/// One line on the cost of the run to this machine.
std::string cost_of(const Simulation& run);

/// The same as JSON, with every parameter and the version; durations in ms. All but "cost" is the
/// same on any machine.
std::string json_of(const Simulation& run);

/// Writes jobs.csv, messages.csv, queueing_delay.csv (its distribution), health.csv and
/// job_slots.csv into `directory`, which is created if missing.
Result<void> write_csv(const Simulation& run, const std::string& directory);

}  // namespace dunlin::sim
