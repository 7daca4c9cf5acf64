// SPDX-License-Identifier: MIT
#include "node/identity/identity.h"

#include <cstdio>
#include <filesystem>

#include "node/agent_options.h"
#include "node/identity/machine_id.h"
#include "node/identity/place_mark.h"
#include "node/identity/set_aside.h"
#include "node/ids.h"
#include "node/store/data_lock.h"
#include "node/wall_clock.h"
#include "tools/dunlin/commands/commands.h"
#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/screen/report.h"

// The identity of a data directory, and the two cures for a directory that came from another
// machine: it was copied (a new identity), or the machine was replaced (the old one belongs here).
namespace dunlin::cli {

Result<int> identity(const Globals& globals, const IdentityOptions& options) {
  const std::string directory =
      options.data_dir.empty() ? node::default_data_dir() : options.data_dir;
  if (options.renew && options.adopt) {
    return failure(ErrorKind::usage, "--new and --adopt are two ways out: choose one");
  }
  // A misspelt --data-dir is told here: the lock below would make it.
  if (!std::filesystem::is_directory(directory)) {
    return failure(ErrorKind::not_found, directory + ": no such directory");
  }
  if (!options.renew && !options.adopt) {
    const auto found = node::Identity::load(directory);
    if (!found) return tl::unexpected(found.error());
    const std::string id = node::to_string(found->id());
    globals.json ? print_json("dunlin.identity/1", {{"node", id}, {"data_dir", directory}})
                 : print(id + "\n");
    return kSuccess;
  }
  // An agent that runs has the lock: its identity must not change below it.
  const auto lock = node::DataLock::acquire(directory);
  if (!lock) return tl::unexpected(lock.error());
  std::string aside;
  if (options.renew) {
    const auto moved = node::set_aside_identity(directory, node::unix_seconds());
    if (!moved) return tl::unexpected(moved.error());
    aside = moved->string();
  }
  // What binds an identity to a machine; the flag must name the same file as the agent's
  // configuration.
  const std::string machine = node::machine_mark(options.machine_id);
  const auto now = options.renew ? node::Identity::load_or_create(directory, machine)
                                 : node::Identity::adopt(directory, machine);
  if (!now) return tl::unexpected(now.error());
  // Else the directory would still count as a copy of that from which it came.
  if (auto marked = node::mark_place(directory); !marked) return tl::unexpected(marked.error());
  const std::string id = node::to_string(now->id());
  if (globals.json) {
    print_json("dunlin.identity/1", {{"node", id}, {"data_dir", directory}, {"aside", aside}});
  } else if (options.renew) {
    print(id + ": a new node; what belonged to the one before is in " + aside + "\n");
  } else {
    print(id + ": belongs to this machine now\n");
  }
  return kSuccess;
}

}  // namespace dunlin::cli
