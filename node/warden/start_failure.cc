// SPDX-License-Identifier: MIT
#include "node/warden/start_failure.h"

#include <cerrno>
#include <cstring>
#include <utility>

// A start that fails is the task's fault if the command is not there or is no program; it must not
// be tried again elsewhere then. All else (a directory, the output, a limit, a lack of memory) may
// work on another node. Directories and files that the task named are told apart from ours: only
// what is wrong with ours is wrong with the node.
namespace dunlin::node::warden {
namespace {

Exited ended(const Launch& launch, Ending ending, std::string detail) {
  return {.id = launch.start().id,
      .ending = ending,
      .status = launch.error(),
      .started_at = wall_clock(),
      .detail = std::move(detail)};
}

/// True if the task named the file that could not be opened. Ours are measured, and theirs are not.
bool task_named(const Launch& launch) {
  const Start& start = launch.start();
  return launch.object() == start.out ? !start.measure_out : !start.measure_err;
}

Exited not_executed(const Launch& launch, const std::string& reason) {
  const std::string& command = launch.start().words[0];
  const std::string object = launch.object();
  switch (launch.error()) {
    case ENOENT:
      // The kernel says ENOENT also of a script whose interpreter is missing, and users then look
      // for the wrong file.
      if (launch.object_exists() && object.find('/') != std::string::npos) {
        return ended(
            launch, Ending::not_executable, "'" + object + "': its interpreter does not exist");
      }
      [[fallthrough]];
    case ENOTDIR:
      return ended(launch, Ending::not_found, "command '" + command + "' not found");
    // Of the node, not of the command: it may start elsewhere, or later.
    case EAGAIN:
    case ENOMEM:
    case ENFILE:
    case EMFILE:
    case EIO:
      return ended(launch, Ending::not_started, "cannot execute '" + command + "': " + reason);
    case ENOEXEC:
      return ended(launch, Ending::not_executable,
          "'" + object + "' is no program, nor a script with a #! line");
    default:
      return ended(launch, Ending::not_executable, "cannot execute '" + object + "': " + reason);
  }
}

}  // namespace

Exited failed_start(const Launch& launch) {
  const std::string reason = std::strerror(launch.error());
  switch (launch.stage()) {
    case Stage::user:
      return ended(launch, Ending::no_user,
          launch.user_problem().empty() ? "cannot become user '" + launch.object() + "': " + reason
                                        : launch.user_problem());
    case Stage::directory:
      return ended(
          launch, Ending::no_directory, "working directory '" + launch.object() + "': " + reason);
    case Stage::output:
      return ended(launch, task_named(launch) ? Ending::no_output : Ending::not_started,
          "cannot write output to '" + launch.object() + "': " + reason);
    case Stage::input:
      return ended(launch, launch.object().empty() ? Ending::not_started : Ending::no_input,
          "cannot read input from '" + launch.object() + "': " + reason);
    case Stage::script:
      return ended(launch, Ending::not_started,
          "cannot write its script '" + launch.object() + "': " + reason);
    case Stage::join:
      return ended(
          launch, Ending::not_started, "limits: cannot join " + launch.object() + ": " + reason);
    case Stage::exec:
      return not_executed(launch, reason);
    default:
      return ended(launch, Ending::not_started, "cannot fork: " + reason);
  }
}

Exited hung_start(const Launch& launch, int seconds) {
  const std::string object = " '" + launch.object() + "'";
  std::string detail = "the start did not end within " + std::to_string(seconds) + " s: ";
  switch (launch.stage()) {
    case Stage::queued:
      detail += "all starts of this node hang";
      break;
    case Stage::user:
      detail += "looking up the user" + object + " hangs";
      break;
    case Stage::fork:
      detail += "no process could be made";
      break;
    case Stage::join:
      detail += "joining" + object + " hangs";
      break;
    case Stage::directory:
      detail += "entering the directory" + object + " hangs";
      break;
    case Stage::output:
      detail += "opening" + object + " for output hangs";
      break;
    case Stage::input:
      detail += "opening" + object + " for input hangs";
      break;
    case Stage::script:
      detail += "writing its script" + object + " hangs";
      break;
    case Stage::exec:
      detail += "executing" + object + " hangs";
      break;
  }
  auto exited = ended(launch, Ending::not_started, std::move(detail));
  // It has no errno of its own: the step has not returned.
  exited.status = ETIMEDOUT;
  return exited;
}

}  // namespace dunlin::node::warden
