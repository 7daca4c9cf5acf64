// SPDX-License-Identifier: MIT
#include <cstdio>

#include "tools/dunlin/commands/commands.h"
#include "tools/dunlin/exit_status.h"

namespace dunlin::cli {

Result<int> version(const Globals& globals) {
  if (globals.json)
    print_json("dunlin.version/1", {{"version", DUNLIN_VERSION}});
  else
    std::puts("dunlin " DUNLIN_VERSION);
  return kSuccess;
}

}  // namespace dunlin::cli
