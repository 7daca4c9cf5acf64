// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <uv.h>
#include <vector>

#include "node/loop/wakeup.h"
#include "node/task/devices.h"
#include "node/task/executor.h"
#include "node/task/fed_tasks.h"
#include "node/task/task_about.h"
#include "node/task/task_card.h"
#include "node/task/task_command.h"
#include "node/task/task_slots.h"
#include "node/task/warden_link.h"

namespace dunlin::node {

/// What a Kill said of why; an agent of this build gave it.
inline sched::Outcome kill_outcome(std::uint8_t reason) {
  const auto outcome = static_cast<sched::Outcome>(reason);
  const bool known = outcome == sched::Outcome::time_limit || outcome == sched::Outcome::preempted;
  return known ? outcome : sched::Outcome::killed;
}

/// In whole milliseconds, rounded up.
inline std::uint32_t milliseconds(sched::Duration time) {
  return static_cast<std::uint32_t>(std::chrono::ceil<std::chrono::milliseconds>(time).count());
}

/// The user that a task of `owner` runs as, if tasks run as their owners at all; empty: as the
/// agent's own user, `own_user`. Root is never more to a task than the agent is.
inline std::string user_of(const std::string& owner, const std::string& own_user) {
  return owner == "root" || owner == own_user ? "" : owner;
}

/// The directory for the task in `slot`, if it names none. `owned`: it runs as its owner, who does
/// not get into this agent's directory.
inline std::string scratch_place(
    const TaskSlots& slots, const TaskSpec& spec, std::uint32_t slot, bool owned) {
  return owned && spec.directory.empty() ? TaskSlots::own_path() : slots.scratch_path(slot);
}

/// The file for its script; empty: it has none.
inline std::string script_place(
    TaskSlots& slots, const TaskSpec& spec, std::uint32_t slot, bool owned) {
  if (spec.script.empty()) return {};
  return owned ? TaskSlots::own_path() + ".script" : slots.script_path(slot);
}

/// What the task in a slot wrote is of no use, and must not become the next one's.
void discard_output(const OutputStore& output, std::uint32_t slot);

/// The parts of an executor. Tasks of this agent are in executor.cc, those of earlier ones in
/// executor_reattach.cc.
class ExecutorImpl final : public TasksHere {
 public:
  ExecutorImpl(uv_loop_t& loop, OutputStore& output, ExecutorOptions options, ExecutorEvents events)
      : loop_(loop),
        output_(output),
        options_(std::move(options)),
        events_(std::move(events)),
        devices_(options_.devices),
        fed_(loop, options_.node_name, calls_of_fed_tasks()),
        deliver_(loop,
            [this] {
              for (const auto& [job, report] : std::exchange(refused_, {})) tell(job, report);
            }),
        restart_(loop, [this] { restart(); }) {}

  /// `first`: what a warden has kept is taken back. Later it is ended, because all of it was
  /// reported as lost.
  Result<void> connect(bool first);

  void start(const sched::Launch& launch);
  void try_start() { start(trial_launch(++trials_)); }
  void kill(const sched::TaskId& task, std::uint32_t attempt, sched::Outcome outcome);
  void suspend(const sched::TaskId& task, std::uint32_t attempt, bool on);
  void forget(const sched::TaskId& task, std::uint32_t attempt);
  std::vector<sched::KeptTask> take_kept() { return std::exchange(kept_, {}); }
  std::uint32_t since() const { return since_; }
  /// Null while there is no warden.
  WardenLink* link() { return link_.get(); }
  const std::string& limits() const { return limits_; }
  bool runs_as_owner() const { return link_ && link_->users(); }
  std::vector<RunningUse> uses() const { return uses_.list(now(loop_)); }
  std::optional<Told> about(const sched::TaskId& task, std::uint32_t attempt) const override;
  std::size_t running() const { return running_.size(); }
  std::size_t stuck() const { return stuck_.size(); }
  FedTasks& fed() { return fed_; }

 private:
  /// Each is told once, so each is remembered.
  static constexpr std::size_t kNotesMax = 256;

  /// A task that the warden runs for this node, of this agent or an earlier one.
  struct Running {
    sched::TaskId task;
    std::uint32_t attempt = 0;
    std::uint32_t slot = 0;
    /// Its directory is the slot's, and is cleared after it.
    bool scratch = false;
    TaskCard::Warning warning{};
    bool unwanted = false;  ///< No worker waits for its end.
    std::vector<TaskDevices> devices{};
    bool unknown_devices = false;  ///< It may have any.
    TaskAbout about{};
  };

  /// Reports in a later iteration that an attempt could not be made, or was lost.
  void refuse(const sched::TaskId& task, std::uint32_t attempt, sched::Report why);
  /// Hands a report on: to the worker, or to whatever waits for a trial.
  void tell(const sched::JobId& job, const sched::Report& report);
  /// A task has ended: keeps its output, frees its slot and tells its report.
  void finish(const warden::Exited& exited);
  /// Keeps the output of a task that has ended, and frees its slot. Returns its report.
  sched::Report settle(const Running& task, const warden::Exited& exited, bool again);
  /// A task, or the end of one, that an earlier agent left.
  void take_back(const WardenLink::Kept& kept);
  /// In the words of the peer.
  static sched::Report report_of(const Running& task, const warden::Exited& exited);
  /// What an earlier agent left and no job can use is ended and forgotten.
  void drop(const WardenLink::Kept& kept);
  /// The warden died, and its tasks with it.
  void lose_all();
  /// Tries to start another warden; if that fails, later again.
  void restart();
  void note(const std::string& text) {
    if (noted_.size() > kNotesMax) return;
    if (events_.note && noted_.insert(text).second) events_.note(text);
  }
  /// Lets the next task have the slot and the devices.
  void release(const Running& task) {
    devices_.release(task.devices);
    if (task.unknown_devices) devices_.release_unknown();
    if (auto done = slots_->release(task.slot, task.scratch); !done) note(done.error().text);
  }
  /// The last process of a stuck task has ended.
  void release_stuck(std::uint64_t id);
  FedTasks::Calls calls_of_fed_tasks();

  uv_loop_t& loop_;
  OutputStore& output_;
  ExecutorOptions options_;
  ExecutorEvents events_;

  const std::map<std::string, std::string> environment_ = base_environment();
  /// The same for tasks of other users, which have homes and names of their own.
  const std::map<std::string, std::string> environment_of_others_ = [this] {
    auto variables = environment_;
    variables.erase("HOME");
    variables.erase("USER");
    return variables;
  }();
  std::string limits_;
  /// Notes that were told: a trouble that lasts is told once.
  std::set<std::string> noted_;

  /// No agent before or after this one gives the same numbers.
  std::uint64_t next_id_ = (std::uint64_t{options_.incarnation} << 32) + 1;
  /// Trials are attempts of one task of no job: by this number they differ.
  std::uint16_t trials_ = 0;
  /// By the warden's number.
  std::map<std::uint64_t, Running> running_;
  /// The warden's number of each attempt that runs.
  std::map<sched::AttemptKey, std::uint64_t> ids_;
  RunningUses uses_;
  std::map<std::uint64_t, Running> stuck_;  ///< Reported, but processes of it survive SIGKILL.
  /// Ended and not forgotten: the warden keeps their ends.
  std::map<sched::AttemptKey, std::uint64_t> ended_;
  /// What was taken back, until the peer asks for it.
  std::vector<sched::KeptTask> kept_;
  std::uint32_t since_ = 0;
  std::optional<TaskSlots> slots_;  ///< From the first connect() on.
  DevicePool devices_;

  /// To be told in a later iteration.
  std::vector<std::pair<sched::JobId, sched::Report>> refused_;
  FedTasks fed_;
  Wakeup deliver_;
  Wakeup restart_;
  sched::Duration restart_delay_{0};
  /// When the warden was found: one that dies young is sick.
  sched::Time connected_at_{};
  std::unique_ptr<WardenLink> link_;  ///< Goes first: it calls back.
  /// The warden died; the link stays until the next one is there.
  bool link_dead_ = false;
  std::string no_warden_ = "it died";  ///< Why, as far as the last try to start one says.
};

}  // namespace dunlin::node
