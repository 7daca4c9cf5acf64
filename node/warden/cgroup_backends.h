// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "node/warden/cgroup.h"

namespace dunlin::node {

/// These fail, saying why, if this machine has no writable cgroups of that version.
Result<std::unique_ptr<Limiter>> open_v1(const LimiterOptions& options);
Result<std::unique_ptr<Limiter>> open_v2(const LimiterOptions& options);

/// Knows tasks by /proc alone. With `polls` the caller enforces the memory limit ("rlimit");
/// without it nothing does ("none").
std::unique_ptr<Limiter> make_unlimited(bool polls);

}  // namespace dunlin::node
