// SPDX-License-Identifier: MIT
#pragma once

namespace dunlin::cli {

/// The command line: parses it, runs the command, reports errors, and returns the exit status.
int run(int argc, char** argv);

}  // namespace dunlin::cli
