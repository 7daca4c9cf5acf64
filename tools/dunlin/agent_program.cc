// SPDX-License-Identifier: MIT
#include "tools/dunlin/agent_program.h"

#include <cerrno>
#include <unistd.h>

#include "node/program_path.h"

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
