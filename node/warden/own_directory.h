// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "node/warden/task_user.h"

namespace dunlin::node::warden {

/// The directory that was made for one task, and belongs to the user that it runs as.
struct OwnDirectory {
  TaskUser user;
  std::string path;

  /// Removes it with all that is in it, as that user, in a process of its own that the main thread
  /// reaps: there may be millions of files. Does not wait.
  void remove() const;
};

}  // namespace dunlin::node::warden
