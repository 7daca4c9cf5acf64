// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "overlay/result.h"

namespace dunlin::node {

/// Copies every row that can be read from the damaged database at `path` into a new one, which
/// takes its place; the damaged one is kept beside it, as `<path>.damaged-<seconds since 1970>`.
/// Returns a line for each row that could not be read, and one that says where the old database is.
/// Fails (`corrupt`), and changes nothing, if more than a few rows cannot be read: then pages are
/// lost, and a human should look. Requires that the database is closed.
Result<std::vector<std::string>> salvage(const std::string& path);

}  // namespace dunlin::node
