// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "config/manual/page.h"

namespace dunlin::config {

/// The page that `words` name, by the command, {"node", "drain"}, or by its own name,
/// {"dunlin.toml"}; none: that of `program`. Null if there is no such page.
const ManualPage* find_page(const std::vector<ManualPage>& pages,
    const std::string& program,
    const std::vector<std::string>& words);

/// Writes each page into its place below `folder`, man1/dunlin-run.1, and makes the folders that
/// are missing. Returns what went wrong, with the path; empty: nothing.
std::string write_pages(const std::vector<ManualPage>& pages, const std::string& folder);

/// Shows a page at a terminal, by man(1). Returns what went wrong; empty: nothing.
std::string show_page(const ManualPage& page);

}  // namespace dunlin::config
