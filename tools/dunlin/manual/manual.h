// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "config/manual/page.h"

// The manual of `dunlin`: what stands in it is taken from the command line, the tables of
// parameters and the schemas, so that it cannot fall behind them. By hand are the overview, and
// what those do not know.
namespace dunlin::cli {

/// All pages. `program` is the tree of the whole command line.
std::vector<config::ManualPage> manual_pages(const config::CommandTree& program);

/// The exit statuses of a command, by its path ("dunlin node drain"), and pages that go with it. A
/// command that the tables do not name has what all commands have.
config::PageNotes page_notes(const std::string& path);

/// dunlin(7).
config::ManualPage overview_page();
/// dunlin.toml(5): every parameter of an agent.
config::ManualPage settings_page();
/// dunlin-job(5): every key of a job file.
config::ManualPage job_page();

}  // namespace dunlin::cli
