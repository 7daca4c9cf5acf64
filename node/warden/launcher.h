// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <sys/types.h>
#include <vector>

#include "node/warden/protocol.h"

namespace dunlin::node::warden {

/// How far a start came, if it failed, and the errno that stopped it.
enum class Stage { started, fork, join, directory, output, exec };

struct Launched {
  pid_t pid = 0;  ///< Of the new process, if `stage` is `started`.
  Stage stage = Stage::started;
  int error = 0;
  std::string object;  ///< What could not be joined, entered, opened or executed.
};

/// Starts processes. The new process is the leader of its own session and group, has /dev/null as
/// stdin (this process' own), files as stdout and stderr, default signals, the default scheduling
/// class, and an oom_score_adj of 0.
class Launcher {
 public:
  Launcher();
  ~Launcher();
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;

  /// Requires that all signals are blocked. Returns when the new process executes its program, or
  /// has failed and is reaped. Before that it wrote "0" to each of `join_files`.
  Launched launch(const Start& start, const std::vector<std::string>& join_files);

  /// True, once, after a process could not reset its oom_score_adj.
  bool take_oom_warning();

 private:
  std::byte* stack_;  ///< Of the child, until it executes; the memory is shared with it.
  bool reset_oom_score_ = false;
  bool reset_scheduling_ = false;
  bool reset_nice_ = false;
  bool oom_failed_ = false;
  bool oom_warned_ = false;
};

}  // namespace dunlin::node::warden
