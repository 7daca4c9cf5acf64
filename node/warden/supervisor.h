// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <sys/resource.h>
#include <sys/types.h>
#include <vector>

#include "node/warden/cgroup.h"
#include "node/warden/launcher.h"
#include "node/warden/protocol.h"

namespace dunlin::node::warden {

using Clock = std::chrono::steady_clock;

/// The tasks of one warden, each from its start to the end of its last process.
///
/// A task's life: *running* until its main process ends; *asked* to end (SIGTERM was sent to all
/// its processes) until all are gone or its grace is over; *swept* (SIGKILL, again and again) until
/// nothing of it is left. Only then it is reported, so its slot and its resources are truly free.
class Supervisor {
 public:
  /// `out` collects the frames for the agent.
  Supervisor(std::unique_ptr<Limiter> limiter, std::string& out);

  void start(const Start& start);
  void kill(const Kill& kill, Clock::time_point now);
  /// Reaps what has ended. Call it on SIGCHLD.
  void reap(Clock::time_point now);
  /// Does what is due: the end of a grace, another sweep, a look at memory.
  void tick(Clock::time_point now);
  /// When to call tick(); nothing if no event but those above matters.
  std::optional<Clock::time_point> deadline() const;

  /// SIGKILL for everything, at once.
  void kill_everything(Clock::time_point now);
  bool empty() const { return tasks_.empty(); }

 private:
  enum class Phase { running, asked, swept };
  struct Task {
    std::uint64_t id = 0;
    std::uint32_t slot = 0;
    std::uint64_t memory_limit = 0;  ///< Bytes, if this process must watch it; else 0.
    std::string out, err;            ///< Files to measure at the end, or empty.
    Clock::time_point started;
    std::int64_t started_at = 0;
    Phase phase = Phase::running;
    Clock::time_point due{};      ///< asked: the end of the grace. swept: the next sweep.
    Clock::time_point give_up{};  ///< swept: when to report it whatever is left.
    bool kill_requested = false;
    bool over_memory = false;
    bool main_ended = false;
    int status = 0;  ///< Of wait4(), if `main_ended`.
    rusage used{};
    Clock::time_point ended{};
    std::uint64_t memory_peak = 0;  ///< As seen by watching.
  };
  using Tasks = std::map<pid_t, Task>;  ///< By main process.

  void fail(const Start& start, Ending ending, int status, std::string detail);
  void fail(const Start& start, const Launched& launched);
  void begin_sweep(Tasks::iterator task, Clock::time_point now);
  /// One round of SIGKILL; reports and erases the task if nothing is left of it.
  void sweep(Tasks::iterator task, Clock::time_point now);
  void report(Tasks::iterator task);
  void watch_memory(Tasks::iterator task, Clock::time_point now);
  std::vector<pid_t> processes(const Tasks::const_iterator& task) const;

  std::unique_ptr<Limiter> limiter_;
  Launcher launcher_;
  std::string& out_;
  Tasks tasks_;
  Clock::time_point next_look_{};  ///< At memory, if the limiter asks for it.
};

}  // namespace dunlin::node::warden
