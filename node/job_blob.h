// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "overlay/result.h"
#include "sched/job.h"

namespace dunlin::node {

/// The task groups of a job as bytes: a version, then node/fields.h. The lines of a million tasks
/// are one text and one row of numbers.
std::string encode_groups(const std::vector<sched::TaskGroup>& groups);

/// Fails with `corrupt` if the bytes are not what encode_groups() made, or of a newer version.
Result<std::vector<sched::TaskGroup>> decode_groups(std::string_view bytes);

}  // namespace dunlin::node
