// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <unistd.h>
#include <vector>

#include "node/warden/launch.h"
#include "node/warden/output/task_output.h"
#include "node/warden/task_user.h"

namespace dunlin::node::warden {

/// Everything that the child needs, made before it exists, because it may not allocate, and what it
/// tells. The spawner sleeps until the child executes or exits; the main thread looks on.
struct LaunchPlan {
  static constexpr std::size_t kPathMax = 4096;

  LaunchPlan(const Start& start,
      const StartScript& script,
      const std::vector<std::string>& joins,
      const Inherited& inherited,
      const TaskInput* input);

  /// The task is to run as that user. Not after the child exists.
  void run_as(TaskUser found, const Start& start);

  const char* directory;
  const bool own_directory;  ///< It is to be made.
  const char* const out;
  const char* const err;
  const char* const in;  ///< Empty: no file.
  const int input;       ///< The end of a pipe or a terminal; -1: none.
  const bool terminal;   ///< It is a terminal, for output too.
  const bool truncate;   ///< The files that the user named begin empty; else they are appended to.
  const char* const script;            ///< The file that is to be made; empty: none.
  const std::string_view script_text;  ///< What it is to hold.
  /// The pipes that stdout and stderr are; -1: the file that the user named.
  int pipes[TaskOutput::kStreams] = {-1, -1};
  const std::vector<char*> join_files;  ///< This and the next two end with null.
  const std::vector<char*> words;
  std::vector<char*> environment;
  const char* const path;  ///< The directories to search; null: the command names its file.
  const pid_t warden = ::getpid();
  const Inherited reset;
  const mode_t umask;
  const std::vector<TaskLimit>& limits;  ///< The start's.
  std::optional<TaskUser> user;          ///< Empty: this process' own.
  std::vector<std::string> own_variables;
  std::string user_problem;           ///< Written by the spawner before `error`.
  std::atomic<bool> through = false;  ///< Written by the spawner.
  pid_t pid = 0;                      ///< Written by the kernel before the child runs.
  // Written by the child:
  std::atomic<Stage> stage = Stage::queued;
  std::atomic<const char*> object = "";
  std::atomic<int> error = 0;
  std::atomic<bool> object_exists = false;
  std::atomic<bool> oom_failed = false;
  char candidate[kPathMax] = {};  ///< The file last tried.
};

/// The child of a start: `plan` is its LaunchPlan. Runs on a stack of its own in the warden's
/// memory, and only makes system calls.
int run_child(void* plan);

}  // namespace dunlin::node::warden
