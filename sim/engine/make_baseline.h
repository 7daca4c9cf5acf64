// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "sim/baseline/baseline.h"

namespace dunlin::sim {

/// The scheduler that the parameters name, with its machines. Requires
/// is_baseline(options.params.scheduler).
std::unique_ptr<Baseline> make_baseline(const Baseline::Options& options, Recorder& recorder);

}  // namespace dunlin::sim
