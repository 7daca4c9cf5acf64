// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "config/toml.h"
#include "overlay/result.h"
#include "sim/study/plan.h"

namespace dunlin::sim {

/// Reads a scenario's [sweep] into `plan`. Fails at the first thing wrong, with its place in
/// `file`.
Result<void> read_plan(const toml::table& table, StudyPlan& plan, const std::string& file);

}  // namespace dunlin::sim
