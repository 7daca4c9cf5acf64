// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <uv.h>

#include "node/loop/handle.h"
#include "node/loop/wakeup.h"
#include "overlay/time.h"

namespace dunlin::node {

/// An operator's command that judges this node, run again and again, as Slurm's
/// HealthCheckProgram. One run at a time.
class HealthCommand {
 public:
  struct Options {
    std::string command;                                   ///< For `sh -c`.
    overlay::Duration period = std::chrono::seconds(30);   ///< From the end of a run to the next.
    overlay::Duration timeout = std::chrono::seconds(10);  ///< Then it is killed.
  };
  /// Is told after each run, or when its time is over, why the node is sick: the first line of the
  /// command's output, or what became of the command. Empty if it ended with status 0. Called from
  /// the loop.
  using Verdict = std::function<void(const std::string& why)>;

  /// The first run begins in the loop's next iteration.
  HealthCommand(uv_loop_t& loop, Options options, Verdict verdict);
  /// Kills a run that goes on.
  ~HealthCommand();
  HealthCommand(const HealthCommand&) = delete;
  HealthCommand& operator=(const HealthCommand&) = delete;

 private:
  struct Run;

  void act();
  void begin();
  void on_exit(std::int64_t status, int signal);
  void rest();
  void end(const std::string& why);

  uv_loop_t& loop_;
  Options options_;
  Verdict verdict_;
  std::unique_ptr<Run> run_;  ///< While one goes on.
  Wakeup wakeup_;
};

}  // namespace dunlin::node
