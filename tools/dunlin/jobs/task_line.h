// SPDX-License-Identifier: MIT
#pragma once

#include "node/message.h"
#include "overlay/result.h"

namespace dunlin::cli {

/// True if a word, or a variable, names %{ENTRY}.
bool mentions_entry(const node::TaskSpec& spec);

/// Sees to it that each task of a group gets its line: as %{ENTRY} where the command names it, else
/// as its last argument; for the script of a shell ("sh -c ...") that is $1. Fails with `usage` if
/// the script would never look at it.
Result<void> give_line(node::TaskSpec& spec);

}  // namespace dunlin::cli
