// SPDX-License-Identifier: MIT
#pragma once

#include "tools/dunlin/connection/json.h"

namespace dunlin::cli {

/// What an agent says, in the units that --json promises: times ("..._at_ns") as ISO 8601 in UTC,
/// durations ("..._ns") as seconds, memory ("memory_mib") as bytes, "cpu_milli" as CPUs. Members
/// are renamed accordingly: "submitted_at", "wall_s", "memory_bytes", "cpus".
Json published(const Json& json);

}  // namespace dunlin::cli
