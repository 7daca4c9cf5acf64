// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "overlay/result.h"
#include "sim/study/plan.h"

namespace dunlin::sim {

/// Reads the variations of a scenario from its [sweep], and nothing else of it. `file` names it in
/// errors. Fails at the first thing wrong, as "file:line:column: what was expected".
Result<StudyPlan> parse_plan(std::string_view toml, const std::string& file);
Result<StudyPlan> load_plan(const std::string& file);

}  // namespace dunlin::sim
