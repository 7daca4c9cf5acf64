// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <sys/resource.h>
#include <sys/types.h>
#include <vector>

#include "node/closed_process.h"
#include "node/warden/output/task_output.h"
#include "node/warden/own_directory.h"
#include "node/warden/protocol.h"
#include "node/warden/start_script.h"
#include "node/warden/task_input.h"

namespace dunlin::node::warden {

using Clock = std::chrono::steady_clock;

/// The step that a start has reached.
enum class Stage : std::uint8_t {
  queued,
  user,
  fork,
  join,
  directory,
  output,
  input,
  script,
  exec
};

/// The settings that a child inherits from this process and must reset.
struct Inherited {
  bool oom_score = false;
  bool scheduling = false;
  bool nice = false;
  UserSettings user{};        ///< The settings that take the place of this process' stricter ones.
  bool capabilities = false;  ///< Those of a process that is not root: tasks have none.
  uid_t uid_min = 1000;       ///< Tasks run as no other user below this id.
  rlimit descriptors{};       ///< The limit of open files before this process raised its own.

  /// Raises the limit of this process' open files as far as it may: each task takes six.
  static Inherited of_this_process(const UserSettings& user, uid_t uid_min);
};

struct LaunchPlan;

/// One start, from the queue to the program. The main thread makes it and looks at it; a spawner
/// runs it; the new process writes into it until it executes its program. The new process is the
/// leader of its own session and group, has /dev/null as stdin (this process' own) or what its
/// start says, pipes or files as stdout and stderr or a terminal for all three, default signals,
/// the default scheduling class, and an oom_score_adj of 0. Where the start names a user, that is
/// its user, with no way back.
class Launch {
 public:
  /// The process will write "0" to each of `join_files` before it executes its program. `input` is
  /// null unless a client feeds it.
  Launch(Start start,
      std::vector<std::string> join_files,
      const Inherited& reset,
      std::shared_ptr<TaskInput> input = nullptr);
  ~Launch();
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;

  /// Makes the process, which runs on the stack that ends at `stack_end`. Returns when it executes
  /// its program or has ended; the main thread reaps it. Requires that all signals are blocked.
  void run(std::byte* stack_end);

  const Start& start() const { return start_; }
  const std::shared_ptr<TaskInput>& input() const { return input_; }
  /// What it writes and is kept here.
  const std::shared_ptr<TaskOutput>& output() const { return output_; }
  /// True once run() has returned.
  bool through() const;
  /// The directory and the script that are made for it, if it gets one and runs as a user of its
  /// own. Requires that pid() is not 0.
  std::optional<OwnDirectory> own_directory() const;
  /// The process; 0 as long as there is none, and for good if it could not be made.
  pid_t pid() const;
  Stage stage() const;
  /// The errno that stopped the start at stage(); 0 if nothing has.
  int error() const;
  /// Why the task may not run as its user. Requires that stage() is `user`, and error() not 0.
  const std::string& user_problem() const;
  /// The user, cgroup, directory, file or program that stage() is about.
  std::string object() const;
  /// True if the program that could not be executed is there.
  bool object_exists() const;
  /// True if the process could not reset its oom_score_adj.
  bool oom_failed() const;
  /// The moment before the process was made. Requires that pid() is not 0, or through().
  Clock::time_point begun() const { return begun_; }
  /// The same moment, in ns since 1970.
  std::int64_t begun_at() const { return begun_at_; }

 private:
  /// Looks up the user that the start names. False if the task may not run as that.
  bool find_its_user();
  /// Makes the pipes that it writes to. False if they cannot be made.
  bool open_output();

  Start start_;
  StartScript script_;
  std::vector<std::string> join_files_;
  std::shared_ptr<TaskInput> input_;
  std::shared_ptr<TaskOutput> output_;
  std::unique_ptr<LaunchPlan> plan_;
  Clock::time_point begun_{};
  std::int64_t begun_at_ = 0;
};

/// ns since 1970.
std::int64_t wall_clock();

}  // namespace dunlin::node::warden
