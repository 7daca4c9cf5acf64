// SPDX-License-Identifier: MIT
#include "tools/dunlin/agent_program.h"

#include <cerrno>
#include <unistd.h>

#include "node/program_path.h"

// Clients are called often and should start fast, so what only an agent needs is in a program of
// its own.
namespace dunlin::cli {

Result<int> become(char** argv, const std::string& program) {
  const auto path = node::find_program(program);
  if (!path) return tl::unexpected(path.error());
  // With the words as they were typed: both programs read the same command line.
  // Returns only if it fails.
  ::execv(path->c_str(), argv);
  return failure_of(errno, "cannot run " + *path);
}

}  // namespace dunlin::cli
