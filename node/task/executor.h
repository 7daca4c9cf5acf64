// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <uv.h>
#include <vector>

#include "node/task/output.h"
#include "overlay/result.h"
#include "sched/turn.h"

namespace dunlin::node {

struct ExecutorOptions {
  std::string node_name{};  ///< DUNLIN_NODE and %{NODE}.
  std::string directory{};  ///< For the tasks' scratch directories; created if missing.
  std::string warden{};     ///< The program dunlin-warden; see find_warden().
  std::string
      label{};  ///< Names this agent's cgroups: the same in every life of it, and its alone.
  std::string limits =
      "auto";              ///< "auto", or one of "v2", "v1", "rlimit", "none" (no enforcement).
  bool cpu_quota = false;  ///< A hard cap on CPU time instead of shares in proportion.
  sched::Duration kill_grace = std::chrono::seconds(5);  ///< From SIGTERM to SIGKILL.
};

/// The path of dunlin-warden: $DUNLIN_WARDEN, beside this program, or ../lib/dunlin of it.
/// `not_found` if it is at none of them.
Result<std::string> find_warden();

/// Runs tasks as processes of this machine, through a warden (node/warden/): a small process that
/// starts, limits, measures and reaps them, and that kills them all when this agent dies.
class ProcessExecutor final : public sched::Executor {
 public:
  using OnExit = std::function<void(const sched::JobId&, const sched::Report&)>;
  using OnNote = std::function<void(const std::string&)>;

  /// Starts the warden and waits (at most some seconds) until it is ready. `on_exit` is called once
  /// per start(), always from the loop, never from within start() or kill(); exits that arrive
  /// together are delivered one after the other in one iteration. `on_note` gets what an operator
  /// should know ("limits: no cgroup is writable ..."), each thing once.
  /// Fails if the warden cannot be started, or `limits` names a mechanism this machine lacks.
  static Result<std::unique_ptr<ProcessExecutor>> open(uv_loop_t& loop,
      OutputStore& output,
      ExecutorOptions options,
      OnExit on_exit,
      OnNote on_note = {});
  /// Kills all tasks. The loop must run (or be closed) after: handles close asynchronously.
  ~ProcessExecutor();
  ProcessExecutor(const ProcessExecutor&) = delete;
  ProcessExecutor& operator=(const ProcessExecutor&) = delete;

  void start(const sched::Launch& launch) override;
  void kill(const sched::TaskId& task, std::uint16_t attempt, sched::Outcome outcome) override;

  /// How demands are enforced: "v2", "v1", "rlimit" or "none".
  const std::string& limits() const;
  std::size_t running() const;

 private:
  class Impl;
  explicit ProcessExecutor(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace dunlin::node
