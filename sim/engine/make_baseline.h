// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "sim/baseline/baseline.h"

namespace dunlin::sim {

/// Requires is_baseline(options.params.scheduler).
std::unique_ptr<Baseline> make_baseline(const Baseline::Options& options, Recorder& recorder);

}  // namespace dunlin::sim
