// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "node/warden/cgroup/cgroup.h"
#include "node/warden/launch.h"
#include "node/warden/protocol.h"
#include "node/warden/spawner_pool.h"
#include "node/warden/task_record.h"

namespace dunlin::node::warden {

/// The bounds on what may hang.
struct Patience {
  std::chrono::milliseconds start{30'000};  ///< From a Start to the execution of its program.
  std::chrono::milliseconds kill{10'000};   ///< From the first SIGKILL to the end of all processes.
};

/// A start whose program has been executed: a task.
struct Begun {
  std::shared_ptr<Launch> launch;
  bool kill_requested = false;
  Clock::time_point kill_due{};  ///< The end of the grace, if `kill_requested`.
  std::uint8_t kill_reason = 0;
};

/// The tasks of one warden before they execute their programs. A start that fails, hangs, or is
/// killed is reported here; one that succeeds is handed over. A start whose process survives
/// SIGKILL is *stuck*: it is reported at once, and its slot is freed when the process ends.
class Starts {
 public:
  /// `record` is told what becomes of tasks. Both must outlive this.
  Starts(Limiter& limiter,
      TaskRecord& record,
      const Patience& patience,
      const UserSettings& user,
      uid_t uid_min)
      : limiter_(limiter),
        record_(record),
        patience_(patience),
        reset_(Inherited::of_this_process(user, uid_min)) {}

  /// `input` is null unless a client feeds the task.
  void begin(Start start, std::shared_ptr<TaskInput> input, Clock::time_point now);
  /// False if no start has this id.
  bool kill(const Kill& kill, Clock::time_point now);
  /// The starts that have executed their programs since the last call.
  std::vector<Begun> take_begun();
  /// Tells of a process that has ended and is not reaped yet. If it was a task that was not taken
  /// yet, returns it, and the caller reaps it. Otherwise reaps it.
  std::optional<Begun> on_ended(pid_t pid);
  /// Acts on deadlines that have passed.
  void tick(Clock::time_point now);
  /// The time to call tick(); empty if nothing is due.
  std::optional<Clock::time_point> deadline() const;
  /// SIGKILL for everything, at once.
  void kill_everything(Clock::time_point now);

  /// True if nothing is left but what is stuck.
  bool empty() const;
  /// True if that start is not handed over and has not ended.
  bool has(std::uint64_t id) const;
  /// True if a start may have executed its program since take_begun().
  bool pending() const { return !entries_.empty(); }
  /// The processes of all starts.
  void append_processes(std::vector<pid_t>& to) const;

 private:
  enum class Phase { starting, killed, stuck };
  struct Entry {
    std::shared_ptr<Launch> launch;
    Phase phase = Phase::starting;
    Clock::time_point due{};  ///< starting: the end of patience. killed: the time to call it stuck.
    bool kill_requested = false;
    Clock::time_point kill_due{};
    std::uint8_t kill_reason = 0;
    bool late = false;  ///< It was killed because it hung.
  };
  using Entries = std::list<Entry>;

  Begun take(Entries::iterator entry);
  void reset_oom_score(pid_t pid);
  Exited report_of(const Entry& entry) const;
  /// It survives SIGKILL: its task is reported, and its slot stays taken.
  void call_stuck(Entry& entry);
  /// Ends a start that has not executed its program. `entry` goes at once if it has no process yet.
  void destroy(Entries::iterator entry, Clock::time_point now);
  /// Requires that no process of it is left.
  void conclude(Entries::iterator entry);

  Limiter& limiter_;
  TaskRecord& record_;
  Patience patience_;
  Inherited reset_;
  SpawnerPool pool_;
  Entries entries_;
  bool oom_warned_ = false;
};

}  // namespace dunlin::node::warden
