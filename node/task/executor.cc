// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <span>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "node/codec.h"
#include "node/ids.h"
#include "node/task/ending.h"
#include "node/task/executor_impl.h"
#include "node/task/task_card.h"
#include "node/task/task_command.h"
#include "node/wall_clock.h"
#include "sched/task.h"

// The tables of tasks, by the warden's number of an attempt: running_; ended_, which the warden
// still remembers because no agent's disk has their end yet; stuck_, reported although processes of
// them live. A slot and its devices are free when the last of these lets go.
namespace dunlin::node {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

/// A warden that dies younger than this is sick: the next one waits, twice as long each time.
constexpr auto kSickAge = 2s;
constexpr sched::Duration kRestartMin = 100ms;
constexpr sched::Duration kRestartMax = 10s;

sched::Duration longer(sched::Duration delay) {
  return std::clamp(delay * 2, kRestartMin, kRestartMax);
}

// Bytes; 0 if it cannot be looked at: of a lost task more is not known.
std::uint64_t file_size(const std::string& path) {
  struct stat found{};
  return ::stat(path.c_str(), &found) == 0 ? static_cast<std::uint64_t>(found.st_size) : 0;
}

TaskCard::Warning warning_of(const sched::Launch& launch, const TaskSpec& spec) {
  if (launch.yield.on_preempt != sched::OnPreempt::checkpoint) return {};
  return {.signal = spec.checkpoint_signal, .time_ms = milliseconds(spec.checkpoint_time)};
}

std::string name_of(const sched::TaskId& task) {
  return to_string(task.job) + "." + std::to_string(task.index);
}

}  // namespace

// A worker that calls start() is in the midst of its turn: the report waits for another iteration.
void ExecutorImpl::refuse(const sched::TaskId& task, std::uint32_t attempt, sched::Report why) {
  why.index = task.index;
  why.attempt = attempt;
  refused_.emplace_back(task.job, std::move(why));
  deliver_.at(now(loop_));
}

void ExecutorImpl::tell(const sched::JobId& job, const sched::Report& report) {
  if (!is_trial(job)) return events_.exited(job, report);
  if (events_.trial) events_.trial(failure_of_trial(report));
}

void ExecutorImpl::release_stuck(std::uint64_t id) {
  const auto stuck = stuck_.extract(id);
  if (stuck.empty()) return;
  release(stuck.mapped());
  note("slot " + std::to_string(stuck.mapped().slot) + ", which was stuck with task " +
      name_of(stuck.mapped().task) + ", is free again");
}

void ExecutorImpl::start(const sched::Launch& launch) {
  const auto& task = launch.task;
  ensure(!ids_.contains(key_of(task, launch.attempt)), "an attempt started twice");
  if (!link_ || link_dead_) {
    return refuse(task, launch.attempt, not_started(0, "this node has no warden: " + no_warden_));
  }
  const auto spec = decode_task_spec(std::as_bytes(std::span(launch.spec)));
  if (!spec) {
    return refuse(task, launch.attempt, wrong_task("the description of the task is malformed"));
  }
  // From here on devices and, below, a slot are held: each way out gives both back.
  auto devices = devices_.take(launch.demand);
  if (!devices) return refuse(task, launch.attempt, not_started(0, devices.error().text));
  const std::string user = runs_as_owner() ? user_of(spec->owner, options_.own_user) : "";
  const std::uint32_t slot = slots_->take();
  auto start = make_start(launch, *spec,
      {.node = options_.node_name,
          .slot = slot,
          .scratch = scratch_place(*slots_, *spec, slot, !user.empty()),
          .script = script_place(*slots_, *spec, slot, !user.empty()),
          .live_out = output_.live_path(slot, OutputStream::out),
          .live_err = output_.live_path(slot, OutputStream::err),
          .now_ns = wall_clock_ns(),
          .devices = *devices,
          .has_gpus = devices_.offers("gpu")},
      user.empty() ? environment_ : environment_of_others_);
  // Scratch is this process' user's alone (0700): for other users the warden makes a directory.
  const bool scratch = spec->directory.empty();
  const auto made = start && scratch && user.empty() ? slots_->make_scratch(slot) : Result<void>{};
  if (!start || !made) {
    // Nothing ran in the directory, so there is nothing to clear.
    (void)slots_->release(slot, false);
    devices_.release(*devices);
    return refuse(task, launch.attempt,
        start ? not_started(made.error().code, made.error().text) : wrong_task(start.error().text));
  }
  start->id = next_id_++;
  start->user = user;
  start->own_directory = scratch && !user.empty();
  const bool is_fed = spec->input != TaskInput::file;
  const TaskCard::Warning warning = warning_of(launch, *spec);
  TaskAbout about = about_task(launch, *spec);
  // What the next agent must know to take the task back: the warden keeps it unread.
  start->card = write_card(launch,
      {.scratch = scratch, .fed = is_fed, .devices = *devices, .warning = warning, .about = about});
  if (is_fed) fed_.expect(start->id, FedTasks::Past::none);
  output_.begin(task, launch.attempt, slot, {.user = spec->owner, .roams = launch.log.log != 0});
  running_[start->id] = {.task = task,
      .attempt = launch.attempt,
      .slot = slot,
      .scratch = scratch,
      .warning = warning,
      .devices = std::move(*devices),
      .about = std::move(about)};
  if (!is_trial(task.job)) {
    uses_.begin(start->id, task, launch.attempt, launch.demand, now(loop_));
  }
  ids_[key_of(task, launch.attempt)] = start->id;
  link_->send(*start);
}

FedTasks::Calls ExecutorImpl::calls_of_fed_tasks() {
  return {.find =
              [this](const sched::TaskId& task, std::uint32_t attempt) {
                const auto id = ids_.find(key_of(task, attempt));
                return id == ids_.end() || link_dead_ ? 0 : id->second;
              },
      .feed = [this](const warden::Feed& feed) { link_->send(feed); },
      .resize = [this](const warden::Resize& resize) { link_->send(resize); },
      .end =
          [this](std::uint64_t id) {
            if (!link_ || link_dead_) return;
            link_->send(warden::Kill{.id = id,
                .grace_ms = milliseconds(options_.kill_grace),
                .reason = static_cast<std::uint8_t>(sched::Outcome::killed)});
          }};
}

// An attempt without an id has ended, and its report is on the way or told.
void ExecutorImpl::kill(const sched::TaskId& task, std::uint32_t attempt, sched::Outcome outcome) {
  const auto id = ids_.find(key_of(task, attempt));
  if (id == ids_.end() || link_dead_) return;
  // A checkpoint is for a task that will run again; one that is cancelled or out of time will not.
  const bool warned = outcome == sched::Outcome::preempted;
  const TaskCard::Warning warning = warned ? running_.at(id->second).warning : TaskCard::Warning{};
  link_->send(warden::Kill{.id = id->second,
      .grace_ms = milliseconds(options_.kill_grace),
      .reason = static_cast<std::uint8_t>(outcome),
      .warning = warning.signal,
      .warning_ms = warning.time_ms});
}

void ExecutorImpl::suspend(const sched::TaskId& task, std::uint32_t attempt, bool on) {
  const auto id = ids_.find(key_of(task, attempt));
  if (id != ids_.end() && !link_dead_) link_->send(warden::Suspend{.id = id->second, .on = on});
}

void ExecutorImpl::finish(const warden::Exited& exited) {
  const auto entry = running_.extract(exited.id);
  uses_.end(exited.id);
  if (entry.empty()) return;
  const Running& task = entry.mapped();
  auto report = settle(task, exited, false);
  if (exited.ending == warden::Ending::no_user) {
    report.detail = "node " + options_.node_name + " runs no task of this owner: " + exited.detail;
    report.detail.resize(std::min(report.detail.size(), sched::Report::kDetailMax));
  }
  if (task.unwanted) discard_output(output_, task.slot);
  fed_.conclude(exited.id, report);
  const bool trial = is_trial(task.task.job);
  // Any other end stays with the warden until forget(): an agent that dies before its commit must
  // hear of it again.
  if (task.unwanted || trial) {
    link_->send_later(warden::Forget{exited.id});
  } else {
    ended_[key_of(task.task, task.attempt)] = exited.id;
  }
  ids_.erase(key_of(task.task, task.attempt));
  // Its report is told all the same: the job must not wait for a process that survives SIGKILL.
  if (exited.stuck) stuck_[exited.id] = task;
  if (!task.unwanted) tell(task.task.job, report);
}

sched::Report ExecutorImpl::settle(const Running& task, const warden::Exited& exited, bool again) {
  sched::Report report = report_of(task, exited);
  // A task that fails because it cannot write is no worse than its disk. What it writes passes
  // through the warden, which knows if a write failed: by now another task may have made room.
  const bool failed = !sched::is_success(report) && !exited.kill_requested &&
      (report.outcome == sched::Outcome::exited || report.outcome == sched::Outcome::signalled);
  if (failed) {
    const int error = output_.try_write(task.task, task.attempt, unwritten_errno(exited));
    if (error != 0) report = unwritten(report, error, output_.directory());
  }
  auto kept = again ? output_.end_again(task.task, task.attempt, exited.out_bytes, exited.err_bytes)
                    : output_.end(task.task, task.attempt, exited.out_bytes, exited.err_bytes);
  if (!kept) note(kept.error().text);
  // A process that survives SIGKILL may still write to its slot's files: no other task gets them.
  if (!exited.stuck) {
    release(task);
  } else {
    note("slot " + std::to_string(task.slot) + " is stuck: of task " + name_of(task.task) + ", " +
        exited.detail);
  }
  return report;
}

sched::Report ExecutorImpl::report_of(const Running& task, const warden::Exited& exited) {
  sched::Report report{.index = task.task.index,
      .attempt = task.attempt,
      .outcome =
          exited.kill_requested ? kill_outcome(exited.kill_reason) : outcome_of(exited.ending),
      .status = exited.status,
      .wall = sched::Duration{std::max<std::int64_t>(exited.wall, 0)},
      .cpu = sched::Duration{std::max<std::int64_t>(exited.cpu, 0)},
      .memory_peak = exited.memory_peak,
      .out_bytes = exited.out_bytes,
      .err_bytes = exited.err_bytes,
      .started_at = exited.started_at,
      .detail = exited.detail,
      .cause = cause_of(exited.ending, exited.status, !task.scratch),
      .use = task_use_of(exited.use)};
  report.detail.resize(std::min(report.detail.size(), sched::Report::kDetailMax));
  return report;
}

// Tasks end with their warden. That is the node's fault, which costs them no retry.
void ExecutorImpl::lose_all() {
  link_dead_ = true;
  no_warden_ = "it died";
  note("the warden died; its tasks are lost, and another one is started");
  ids_.clear();
  uses_.clear();
  fed_.clear();
  ended_.clear();
  stuck_.clear();  // No warden tells when they end: their slots are not used again.
  for (const auto& [id, task] : std::exchange(running_, {})) {
    (void)output_.end(task.task, task.attempt,
        file_size(output_.live_path(task.slot, OutputStream::out)),
        file_size(output_.live_path(task.slot, OutputStream::err)));
    // A process that still writes there for a moment must not write into the next task's output.
    discard_output(output_, task.slot);
    release(task);
    if (task.unwanted) continue;
    refuse(task.task, task.attempt, interrupted("the warden of the node died"));
  }
  // A warden that lived for a while was well: its successor starts soon, whatever was before.
  const auto age = now(loop_) - connected_at_;
  restart_delay_ = age < kSickAge ? longer(restart_delay_) : kRestartMin;
  restart_.at(now(loop_) + restart_delay_);
}

// Not in the turn in which the old one died: what called us may be in the midst of it.
void ExecutorImpl::restart() {
  link_.reset();
  link_dead_ = false;
  if (auto connected = connect(false); !connected) {
    note(connected.error().text);
    no_warden_ = connected.error().text;
    restart_delay_ = longer(restart_delay_);
    restart_.at(now(loop_) + restart_delay_);
  }
}

Result<std::unique_ptr<ProcessExecutor>> ProcessExecutor::open(
    uv_loop_t& loop, OutputStore& output, ExecutorOptions options, ExecutorEvents events) {
  std::error_code error;
  if (::mkdir(options.directory.c_str(), 0700) != 0 && errno != EEXIST) {
    return failure_of(errno, "cannot make the directory for scratch " + options.directory);
  }
  // A working directory is told to tasks, and must not depend on the agent's own.
  options.directory = fs::absolute(options.directory, error).string();
  auto impl = std::make_unique<ExecutorImpl>(loop, output, std::move(options), std::move(events));
  if (auto connected = impl->connect(true); !connected) return tl::unexpected(connected.error());
  return std::unique_ptr<ProcessExecutor>(new ProcessExecutor(std::move(impl)));
}

ProcessExecutor::ProcessExecutor(std::unique_ptr<ExecutorImpl> impl) : impl_(std::move(impl)) {}
ProcessExecutor::~ProcessExecutor() = default;

void ProcessExecutor::start(const sched::Launch& launch) {
  impl_->start(launch);
}
void ProcessExecutor::kill(
    const sched::TaskId& task, std::uint32_t attempt, sched::Outcome outcome) {
  impl_->kill(task, attempt, outcome);
}
void ProcessExecutor::suspend(const sched::TaskId& task, std::uint32_t attempt) {
  impl_->suspend(task, attempt, true);
}
void ProcessExecutor::resume(const sched::TaskId& task, std::uint32_t attempt) {
  impl_->suspend(task, attempt, false);
}
void ProcessExecutor::try_start() {
  impl_->try_start();
}
void ProcessExecutor::forget(const sched::TaskId& task, std::uint32_t attempt) {
  impl_->forget(task, attempt);
}
TaskInputs& ProcessExecutor::inputs() {
  return impl_->fed();
}
bool ProcessExecutor::limits_disk() const {
  return impl_->link() != nullptr && impl_->link()->limits_disk();
}
bool ProcessExecutor::limits_net() const {
  return impl_->link() != nullptr && impl_->link()->limits_net();
}
std::vector<RunningUse> ProcessExecutor::uses() const {
  return impl_->uses();
}
bool ProcessExecutor::suspends() const {
  return impl_->link() != nullptr && impl_->link()->suspends();
}
bool ProcessExecutor::runs_as_owner() const {
  return impl_->runs_as_owner();
}
const std::string& ProcessExecutor::limits() const {
  return impl_->limits();
}
std::size_t ProcessExecutor::running() const {
  return impl_->running();
}
std::size_t ProcessExecutor::stuck() const {
  return impl_->stuck();
}

}  // namespace dunlin::node
