// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <uv.h>
#include <vector>

#include "node/closed_process.h"
#include "node/task/output/output.h"
#include "node/task/running_use.h"
#include "node/task/task_about.h"
#include "node/task/task_inputs.h"
#include "overlay/result.h"
#include "sched/turn.h"

namespace dunlin::node {

class ExecutorImpl;

struct ExecutorOptions {
  std::string node_name{};         ///< DUNLIN_NODE and %{NODE}.
  std::string directory{};         ///< Holds the tasks' scratch directories; created if missing.
  std::string warden{};            ///< The program dunlin-warden; empty: find_warden(), if one must
                                   ///< be started.
  std::string warden_directory{};  ///< Where a warden is found, and started; created if missing.
  bool warden_service = false;     ///< A service manager starts the warden, not this agent.
  /// Of this agent: later than that of every agent before it.
  std::uint32_t incarnation = 1;
  /// Tasks run on for so long without an agent.
  sched::Duration reattach_within{0};
  std::string
      label{};  ///< Names this agent's cgroups: the same in every incarnation of it, and its alone.
  std::string limits =
      "auto";              ///< "auto", or one of "v2", "v1", "rlimit", "none" (no enforcement).
  bool cpu_quota = false;  ///< A hard cap on CPU time instead of shares in proportion.
  /// Processes and threads that one task may have, where cgroups enforce it; 0 is no limit.
  std::uint32_t pids_max = 0;
  /// Much output goes slowly where its disk has less room, in bytes: what is kept goes meanwhile.
  std::uint64_t room_min = 0;
  sched::Duration kill_grace = std::chrono::seconds(5);  ///< From SIGTERM to SIGKILL.
  /// A start that lasts longer hangs: it ends as `spawn_failed`.
  sched::Duration start_max = std::chrono::seconds(30);
  /// A process that survives SIGKILL for longer is stuck: its task is reported.
  sched::Duration kill_max = std::chrono::seconds(10);
  /// The use of running tasks is sampled each so long, in whole milliseconds; 0: never.
  sched::Duration sample_period{0};
  /// How many devices each custom resource has whose units are devices.
  std::map<std::string, std::uint32_t> devices{};
  UserSettings user{};           ///< The settings of tasks.
  std::string own_user{};        ///< The name of this process' user.
  std::uint32_t uid_min = 1000;  ///< Tasks run as no other user below this id.
};

/// The news of an executor. All calls come from the loop, never from within a call into it.
struct ExecutorEvents {
  /// Once per start(). Exits that arrive together are told one after the other in one iteration.
  std::function<void(const sched::JobId&, const sched::Report&)> exited{};
  /// A matter for the operator ("limits: no cgroup is writable ..."), each thing once.
  std::function<void(const std::string&)> note{};
  /// Once per try_start(): why no task can start; empty if one can.
  std::function<void(const std::string&)> trial{};
};

/// Runs tasks as processes of this machine, through a warden (node/warden/): a small process that
/// starts, limits, measures and reaps them. It outlives this agent, and the executor of the next
/// one takes the tasks back.
class ProcessExecutor final : public sched::Executor {
 public:
  /// Finds the warden or starts one, and waits (some seconds, more if an earlier one is still
  /// ending) until it is ready. Fails if there is none, or `limits` names a mechanism this machine
  /// lacks.
  static Result<std::unique_ptr<ProcessExecutor>> open(
      uv_loop_t& loop, OutputStore& output, ExecutorOptions options, ExecutorEvents events);
  /// Kills all tasks, unless leave() was called. The loop must run (or be closed) after: handles
  /// close asynchronously.
  ~ProcessExecutor();
  ProcessExecutor(const ProcessExecutor&) = delete;
  ProcessExecutor& operator=(const ProcessExecutor&) = delete;

  /// The worker's orders, as sched::Executor has them. Each is passed on to the warden and answered
  /// by an event of a later iteration; one about an attempt that has ended is no error.
  void start(const sched::Launch& launch) override;
  void kill(const sched::TaskId& task, std::uint32_t attempt, sched::Outcome outcome) override;
  void suspend(const sched::TaskId& task, std::uint32_t attempt) override;
  void resume(const sched::TaskId& task, std::uint32_t attempt) override;
  void forget(const sched::TaskId& task, std::uint32_t attempt) override;
  void try_start() override;

  /// What clients give to tasks to read.
  TaskInputs& inputs();
  /// What the tasks that run are.
  const TasksHere& tasks() const;

  /// The tasks of earlier agents, as the warden kept them; the caller takes them.
  std::vector<sched::KeptTask> take_kept();
  /// The incarnation of the first agent of which the warden has kept tasks.
  std::uint32_t since() const;
  /// The tasks are to outlive this executor, for the next one to take back.
  void leave();

  /// The mechanism that enforces demands: "v2", "v1", "rlimit" or "none".
  const std::string& limits() const;
  /// True if tasks run as their owners; else all run as this process' user.
  bool runs_as_owner() const;
  /// True if tasks can be suspended here.
  bool suspends() const;
  /// True if tasks are held to the rates of the disk that they demand.
  bool limits_disk() const;
  /// Likewise, of the network.
  bool limits_net() const;
  /// What running tasks have taken so far, in the order of their starts.
  std::vector<RunningUse> uses() const;
  /// Tasks that have not ended, trials among them.
  std::size_t running() const;
  /// The slots of tasks that were reported though processes of them survive SIGKILL. Such a slot is
  /// not used again before the last of them has ended.
  std::size_t stuck() const;

 private:
  explicit ProcessExecutor(std::unique_ptr<ExecutorImpl> impl);
  std::unique_ptr<ExecutorImpl> impl_;
};

}  // namespace dunlin::node
