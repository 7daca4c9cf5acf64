// SPDX-License-Identifier: MIT
#pragma once

#include "tools/dunlin/json.h"

namespace dunlin::cli {

/// Turns an agent's JSON into the units that --json promises: times ("at_ns", "..._at_ns") become
/// ISO 8601 in UTC with nine digits of a second, durations ("..._ns") seconds, memory
/// ("memory_mib") bytes, "cpu_milli" CPUs, sums of time ("..._ms") seconds, of MiB x seconds
/// ("..._mib_s") bytes x seconds. Members are renamed accordingly: "submitted_at",
/// "wall_s", "memory_bytes", "cpus". Rates, peaks and sizes in other units keep their member, and
/// get one in bytes, bytes a second or CPUs beside it.
Json published(const Json& json);

}  // namespace dunlin::cli
