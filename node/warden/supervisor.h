// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <sys/resource.h>
#include <sys/types.h>
#include <vector>

#include "node/warden/cgroup/cgroup.h"
#include "node/warden/launch.h"
#include "node/warden/output/task_outputs.h"
#include "node/warden/protocol.h"
#include "node/warden/starts.h"
#include "node/warden/task_inputs.h"
#include "node/warden/task_record.h"
#include "node/warden/use/use_meter.h"

namespace dunlin::node::warden {

/// The tasks of one warden, each from its start to the end of its last process.
///
/// A task's life: it starts (see Starts); it is *running* until its main process ends; *warned*
/// that it will be asked, if a Kill says so; *asked* to end (SIGTERM was sent to all its processes)
/// until all are gone or its grace is over; *swept* (SIGKILL, again and again) until no process is
/// left. Only then it is reported, so its slot and its resources are truly free. If processes of it
/// survive SIGKILL it is reported as *stuck*, and its slot is freed later.
class Supervisor {
 public:
  /// `record` is told what becomes of tasks. Tasks get the settings of `user`.
  Supervisor(std::unique_ptr<Limiter> limiter,
      TaskRecord& record,
      const Patience& patience,
      const UserSettings& user,
      uid_t uid_min);

  /// The use of tasks is read each `period`; 0: never.
  void sample_each(Clock::duration period) { sample_period_ = period; }
  /// Never waits for the start.
  void start(Start start, Clock::time_point now);
  /// What tasks read that clients feed.
  TaskInputs& inputs() { return inputs_; }
  /// What tasks write that is kept here.
  TaskOutputs& outputs() { return outputs_; }
  /// Acts on a descriptor of outputs() that is readable.
  void on_output(Clock::time_point now);
  /// Warns, asks or sweeps, as the order says. No error if it has ended: its report is on the way.
  void kill(const Kill& kill, Clock::time_point now);
  /// Has a task stand still, or go on: by the freezer of its cgroup if there is one, else by
  /// signals to all its processes. One that is to end stands no more.
  void suspend(const Suspend& order, Clock::time_point now);
  /// True if suspend() works here.
  bool suspends() const;
  /// Reaps processes that have ended. Call it on SIGCHLD.
  void reap(Clock::time_point now);
  /// Acts on deadlines that have passed: the end of a grace, another sweep, a look at memory.
  void tick(Clock::time_point now);
  /// The time to call tick(); empty if only the events above matter.
  std::optional<Clock::time_point> deadline() const;

  /// SIGKILL for everything, at once.
  void kill_everything(Clock::time_point now);
  /// True if no task is left but those that are stuck.
  bool empty() const;

 private:
  enum class Phase { running, warned, asked, swept, stuck };
  struct Task {
    std::uint64_t id = 0;
    std::uint32_t slot = 0;
    std::uint64_t memory_limit = 0;  ///< Bytes, if this process must watch it; otherwise 0.
    std::string out, err;            ///< Files to measure at the end, or empty.
    Clock::time_point started;
    std::int64_t started_at = 0;
    Phase phase = Phase::running;
    Clock::time_point due{};      ///< warned: the time to ask. asked: the end of the grace. swept,
                                  ///< stuck: the next sweep.
    Clock::time_point give_up{};  ///< swept: the time to call it stuck.
    std::uint32_t grace_ms = 0;   ///< warned: what it gets when it is asked.
    bool kill_requested = false;
    std::uint8_t kill_reason = 0;
    bool over_memory = false;
    std::optional<Clock::time_point> suspended{};  ///< It stands still since then.
    Clock::duration stood{};                       ///< It stood still for so long before.
    std::uint8_t signal = 0;         ///< What it gets before its time limit; 0: none, or it had it.
    Clock::duration signal_after{};  ///< It gets that when it has run for so long.
    bool main_ended = false;
    int status = 0;  ///< The status of wait4(), if `main_ended`.
    rusage used{};
    Clock::time_point ended{};
    std::uint64_t memory_peak = 0;            ///< As seen by watching.
    std::shared_ptr<TaskInput> input;         ///< Null unless a client feeds it.
    std::optional<OwnDirectory> directory{};  ///< Made for it alone.
    bool output_awaited = false;  ///< All of its processes are gone, its output is on its way.
    UseMeter use;
    Clock::time_point sample_due{};  ///< Its next reading, if it is not over by then.

    bool may_be_sampled() const { return !main_ended && phase < Phase::swept; }
    /// When it is to get the signal that comes before its time limit; empty if none is due, or as
    /// long as it stands still.
    std::optional<Clock::time_point> signal_due() const;
  };
  using Tasks = std::map<pid_t, Task>;  ///< By main process.

  Tasks::iterator adopt(const Begun& begun, Clock::time_point now);
  /// Takes over the starts that have become tasks.
  void adopt_begun(Clock::time_point now);
  /// Sends the signal that comes before SIGTERM. False if there is none to send.
  bool warn(Tasks::iterator task, const Kill& kill, Clock::time_point now);
  /// Stops all its processes, also those that are made meanwhile.
  void stop_all(Tasks::const_iterator task) const;
  /// Sends the signal that comes before its time limit to all its processes.
  void send_signal(Tasks::iterator task);
  /// It goes on, if it stands still.
  void wake(Tasks::iterator task, Clock::time_point now);
  /// Sends SIGTERM, or SIGKILL if there is no grace.
  void end(Tasks::iterator task, std::uint32_t grace_ms, Clock::time_point now);
  /// From now on it is killed until nothing is left, or it is called stuck.
  void begin_sweep(Tasks::iterator task, Clock::time_point now);
  /// Sends one round of SIGKILL. Reports and erases the task if no process is left.
  void sweep(Tasks::iterator task, Clock::time_point now);
  /// Reports and erases a task, no process of which is left.
  void conclude(Tasks::iterator task);
  /// `survivor` is a process of it that survives SIGKILL, or 0; `output` what became of its
  /// streams.
  void report(
      const Task& task, const Usage& usage, pid_t survivor, const TaskOutputs::Outcome& output);
  /// Without cgroups that limit it: adds up what its processes have in memory.
  void watch_memory(Tasks::iterator task, Clock::time_point now);
  std::vector<pid_t> processes(const Tasks::const_iterator& task) const;
  bool samples() const { return sample_period_ > Clock::duration::zero(); }
  /// Reads the use of a task that runs, and tells it.
  void sample(Tasks::iterator task, Clock::time_point now);
  /// Takes the last counts of a task, no process of which is left, as far as that may bring more.
  void close_use(Task& task);

  std::unique_ptr<Limiter> limiter_;
  TaskRecord& record_;
  Patience patience_;
  TaskInputs inputs_;
  TaskOutputs outputs_;
  Starts starts_;
  Tasks tasks_;
  std::set<std::uint64_t> to_suspend_;  ///< Once they have begun.
  Clock::duration sample_period_{};
  Clock::time_point next_look_{};  ///< The next look at memory, if the limiter needs it.
};

}  // namespace dunlin::node::warden
