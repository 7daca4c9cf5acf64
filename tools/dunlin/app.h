// SPDX-License-Identifier: MIT
#pragma once

namespace dunlin::cli {

/// The command line: parses, does what was asked, says what went wrong, returns the exit status.
int run(int argc, char** argv);

}  // namespace dunlin::cli
