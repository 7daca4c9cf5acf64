// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "overlay/result.h"

namespace dunlin::sim {

/// Writes `text` into `file`, whole or not at all: beside it, then renamed, so that a full disk or
/// a killed run leaves the old file or none, never half a one. What is no regular file, as
/// /dev/stdout or a pipe, is written to directly. Fails with `io`, naming the file and the reason.
Result<void> write_file(const std::string& file, const std::string& text);

}  // namespace dunlin::sim
