// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "node/warden/task_user.h"

namespace dunlin::node::warden {

/// The directory and the script that were made for one task, and belong to the user that it runs
/// as.
struct OwnDirectory {
  TaskUser user;
  std::string path;    ///< Empty: it runs elsewhere.
  std::string script;  ///< Empty: it has none.

  /// Removes both with all that is in them, as that user, in a process of its own that the main
  /// thread reaps: there may be millions of files. Does not wait.
  void remove() const;
};

}  // namespace dunlin::node::warden
