// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "overlay/result.h"
#include "sched/job.h"

namespace dunlin::node {

/// What changed of a job besides what has columns of its own, as bytes: a version, then
/// node/fields.h. Empty if nothing did.
std::string encode_changes(const sched::JobProgress& progress);

/// Reads into `progress` what encode_changes() wrote, and leaves the rest of it alone. Fails with
/// `corrupt` if the bytes are something else, or of a newer version.
Result<void> decode_changes(std::string_view bytes, sched::JobProgress& progress);

}  // namespace dunlin::node
