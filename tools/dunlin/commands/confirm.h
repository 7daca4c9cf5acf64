// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "overlay/result.h"

namespace dunlin::cli {

/// Fails unless the user at the terminal types `word` once more, after `warning`: with `refused`,
/// or with `usage` where there is no terminal.
Result<void> confirm(std::string_view command, const std::string& warning, const std::string& word);

}  // namespace dunlin::cli
