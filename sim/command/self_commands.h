// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "config/manual/page.h"
#include "overlay/result.h"

// The commands of dunlin-sim that tell of its own command line. What they print is made from the
// description of all commands, so it cannot forget a flag.
namespace dunlin::sim {

struct CompletionOptions {
  std::string shell;
  std::string names;  ///< What a script asks names of, in place of a script.
};
/// Prints a script for a shell, or the names of scenarios.
Result<void> completion(const CompletionOptions& options);

struct ManOptions {
  std::vector<std::string> words;  ///< The command; empty: the program.
  std::string folder;              ///< Where all pages are written; empty: nowhere.
};
/// Prints a manual page, or writes all of them.
Result<void> man(const ManOptions& options);

/// dunlin-sim(1), a page for each command, and dunlin-scenario(5).
std::vector<config::ManualPage> manual_pages();

}  // namespace dunlin::sim
