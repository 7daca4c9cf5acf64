// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>
#include <string_view>

#include "overlay/result.h"

namespace dunlin::cli {

/// Writes `text` to stdout or stderr at once: what waited there before, and all of it. Fails with
/// `io`, naming the stream and the reason, for what a user is to see must not be lost in silence.
Result<void> put(std::FILE* to, std::string_view text);

}  // namespace dunlin::cli
