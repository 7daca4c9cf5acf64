// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace dunlin::node {

/// What a run of the program `dunlin` left.
struct ProgramRun {
  int status = -1;  ///< 128 + n for a signal.
  std::string out;
  std::string err;
  double seconds = 0;
  double first_err = 0;  ///< The time until it first said something on stderr; 0 if it did not.
};

/// Runs `dunlin WORDS...` against the agent of `socket` to its end. It reads the file `input`.
ProgramRun run_dunlin(const std::string& socket,
    const std::vector<std::string>& words,
    const std::string& input = "/dev/null");

}  // namespace dunlin::node
