// SPDX-License-Identifier: MIT
#include "node/task/executor.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>
#include <span>
#include <sys/stat.h>
#include <tuple>
#include <unistd.h>
#include <utility>

#include "node/codec.h"
#include "node/ids.h"
#include "node/loop/wakeup.h"
#include "node/task/ending.h"
#include "node/task/task_command.h"
#include "node/task/task_slots.h"
#include "node/task/warden_link.h"

namespace dunlin::node {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

/// A warden that dies younger than this is sick: the next one waits, twice as long each time.
constexpr auto kSickAge = 2s;
constexpr sched::Duration kRestartMin = 100ms;
constexpr sched::Duration kRestartMax = 10s;

/// Each is told once, so each is remembered.
constexpr std::size_t kNotesMax = 256;

std::uint64_t file_size(const std::string& path) {
  struct stat found{};
  return ::stat(path.c_str(), &found) == 0 ? static_cast<std::uint64_t>(found.st_size) : 0;
}

std::string name_of(const sched::TaskId& task) {
  return to_string(task.job) + "." + std::to_string(task.index);
}

}  // namespace

class ProcessExecutor::Impl {
 public:
  Impl(uv_loop_t& loop, OutputStore& output, ExecutorOptions options, ExecutorEvents events)
      : loop_(loop),
        output_(output),
        options_(std::move(options)),
        events_(std::move(events)),
        slots_(loop, options_.directory, [this](const std::string& text) { note(text); }),
        deliver_(loop, [this] { deliver(); }),
        restart_(loop, [this] { restart(); }) {}

  Result<void> connect() {
    auto link = WardenLink::open(loop_, options_.warden,
        {.label = options_.label,
            .limits = options_.limits,
            .cpu_quota = options_.cpu_quota,
            .start_ms = milliseconds(options_.start_max),
            .kill_ms = milliseconds(options_.kill_max),
            .umask = options_.user.umask,
            .core_limit = options_.user.core_limit,
            .pids_max = options_.pids_max},
        {.exited = [this](const warden::Exited& exited) { finish(exited); },
            .freed = [this](const warden::Freed& freed) { release_stuck(freed.id); },
            .note = [this](const std::string& text) { note(text); },
            .died = [this] { lose_all(); }});
    if (!link) return tl::unexpected(link.error());
    link_ = std::move(*link);
    limits_ = link_->limits();
    connected_at_ = now(loop_);
    return {};
  }

  void start(const sched::Launch& launch);
  void try_start() { start(trial_launch(++trials_)); }
  void kill(const sched::TaskId& task, std::uint16_t attempt, sched::Outcome outcome);
  const std::string& limits() const { return limits_; }
  std::size_t running() const { return running_.size(); }
  std::size_t stuck() const { return stuck_.size(); }

 private:
  struct Running {
    sched::TaskId task;
    std::uint16_t attempt = 0;
    std::uint32_t slot = 0;
    bool scratch = false;
    sched::Outcome kill_outcome = sched::Outcome::killed;
  };
  using AttemptKey =
      std::tuple<std::uint64_t, std::uint32_t, std::uint64_t, std::uint32_t, std::uint16_t>;
  static AttemptKey key(const sched::TaskId& task, std::uint16_t attempt) {
    return {task.job.home.value, task.job.number, task.job.lineage, task.index, attempt};
  }

  /// Reports in a later iteration that an attempt could not be made, or was lost.
  void refuse(const sched::TaskId& task, std::uint16_t attempt, sched::Report why);
  void tell(const sched::JobId& job, const sched::Report& report);
  void finish(const warden::Exited& exited);
  void lose_all();
  void deliver() {
    for (const auto& [job, report] : std::exchange(refused_, {})) tell(job, report);
  }
  void restart();
  void note(const std::string& text) {
    if (noted_.size() > kNotesMax) return;
    if (events_.note && noted_.insert(text).second) events_.note(text);
  }
  static std::uint32_t milliseconds(sched::Duration time) {
    return static_cast<std::uint32_t>(std::chrono::ceil<std::chrono::milliseconds>(time).count());
  }
  /// Lets the next task have the slot.
  void release(const Running& task) {
    if (auto done = slots_.release(task.slot, task.scratch); !done) note(done.error().text);
  }
  void release_stuck(std::uint64_t id);

  uv_loop_t& loop_;
  OutputStore& output_;
  ExecutorOptions options_;
  ExecutorEvents events_;
  const std::map<std::string, std::string> environment_ = base_environment();
  std::string limits_;
  std::set<std::string> noted_;

  std::uint64_t next_id_ = 1;
  std::uint16_t trials_ = 0;
  std::map<std::uint64_t, Running> running_;
  std::map<AttemptKey, std::uint64_t> ids_;
  std::map<std::uint64_t, Running> stuck_;  ///< Reported, but processes of it survive SIGKILL.
  TaskSlots slots_;

  std::vector<std::pair<sched::JobId, sched::Report>> refused_;
  Wakeup deliver_;
  Wakeup restart_;
  sched::Duration restart_delay_ = kRestartMin;
  sched::Time connected_at_{};
  std::unique_ptr<WardenLink> link_;  ///< Goes first: it calls back.
  bool link_dead_ = false;
  std::string no_warden_ = "it died";  ///< Why, as far as the last try to start one says.
};

void ProcessExecutor::Impl::refuse(
    const sched::TaskId& task, std::uint16_t attempt, sched::Report why) {
  why.index = task.index;
  why.attempt = attempt;
  refused_.emplace_back(task.job, std::move(why));
  deliver_.at(now(loop_));
}

void ProcessExecutor::Impl::tell(const sched::JobId& job, const sched::Report& report) {
  if (!is_trial(job)) return events_.exited(job, report);
  if (events_.trial) events_.trial(failure_of_trial(report));
}

void ProcessExecutor::Impl::release_stuck(std::uint64_t id) {
  const auto stuck = stuck_.extract(id);
  if (stuck.empty()) return;
  release(stuck.mapped());
  note("slot " + std::to_string(stuck.mapped().slot) + ", which was stuck with task " +
      name_of(stuck.mapped().task) + ", is free again");
}

void ProcessExecutor::Impl::start(const sched::Launch& launch) {
  const auto& task = launch.task;
  ensure(!ids_.contains(key(task, launch.attempt)), "an attempt started twice");
  if (!link_ || link_dead_) {
    return refuse(task, launch.attempt, not_started(0, "this node has no warden: " + no_warden_));
  }
  const auto spec = decode_task_spec(std::as_bytes(std::span(launch.spec)));
  if (!spec) {
    return refuse(task, launch.attempt, wrong_task("the description of the task is malformed"));
  }
  const std::uint32_t slot = slots_.take();
  auto start = make_start(launch, *spec,
      {.node = options_.node_name,
          .slot = slot,
          .scratch = slots_.scratch_path(slot),
          .live_out = output_.live_path(slot, OutputStream::out),
          .live_err = output_.live_path(slot, OutputStream::err)},
      environment_);
  const bool scratch = spec->directory.empty();
  const auto made = start && scratch ? slots_.make_scratch(slot) : Result<void>{};
  if (!start || !made) {
    (void)slots_.release(slot, false);
    return refuse(task, launch.attempt,
        start ? not_started(made.error().code, made.error().text) : wrong_task(start.error().text));
  }
  start->id = next_id_++;
  output_.begin(task, launch.attempt, slot);
  running_[start->id] = {.task = task, .attempt = launch.attempt, .slot = slot, .scratch = scratch};
  ids_[key(task, launch.attempt)] = start->id;
  link_->send(*start);
}

void ProcessExecutor::Impl::kill(
    const sched::TaskId& task, std::uint16_t attempt, sched::Outcome outcome) {
  const auto id = ids_.find(key(task, attempt));
  if (id == ids_.end() || link_dead_) return;
  running_.at(id->second).kill_outcome = outcome;
  link_->send(warden::Kill{.id = id->second, .grace_ms = milliseconds(options_.kill_grace)});
}

void ProcessExecutor::Impl::finish(const warden::Exited& exited) {
  const auto entry = running_.find(exited.id);
  if (entry == running_.end()) return;
  const Running task = entry->second;
  running_.erase(entry);
  ids_.erase(key(task.task, task.attempt));
  auto kept = output_.end(task.task, task.attempt, exited.out_bytes, exited.err_bytes);
  if (!kept) note(kept.error().text);
  if (exited.stuck) {
    note("slot " + std::to_string(task.slot) + " is stuck: of task " + name_of(task.task) + ", " +
        exited.detail);
    stuck_[exited.id] = task;
  } else {
    release(task);
  }

  sched::Report report{.index = task.task.index,
      .attempt = task.attempt,
      .outcome = exited.kill_requested ? task.kill_outcome : outcome_of(exited.ending),
      .status = exited.status,
      .wall = sched::Duration{std::max<std::int64_t>(exited.wall, 0)},
      .cpu = sched::Duration{std::max<std::int64_t>(exited.cpu, 0)},
      .memory_peak = exited.memory_peak,
      .out_bytes = exited.out_bytes,
      .err_bytes = exited.err_bytes,
      .started_at = exited.started_at,
      .detail = exited.detail,
      .cause = cause_of(exited.ending, exited.status, !task.scratch)};
  report.detail.resize(std::min(report.detail.size(), sched::Report::kDetailMax));
  tell(task.task.job, report);
}

void ProcessExecutor::Impl::lose_all() {
  link_dead_ = true;
  no_warden_ = "it died";
  note("the warden died; its tasks are lost, and another one is started");
  ids_.clear();
  stuck_.clear();  // No warden tells when they end: their slots are not used again.
  for (const auto& [id, task] : std::exchange(running_, {})) {
    const auto out_path = output_.live_path(task.slot, OutputStream::out);
    const auto err_path = output_.live_path(task.slot, OutputStream::err);
    (void)output_.end(task.task, task.attempt, file_size(out_path), file_size(err_path));
    // A process that still writes there for a moment must not write into the next task's output.
    ::unlink(out_path.c_str());
    ::unlink(err_path.c_str());
    release(task);
    refuse(task.task, task.attempt, interrupted("the warden of the node died"));
  }
  const auto age = now(loop_) - connected_at_;
  restart_delay_ = age < kSickAge ? std::min(restart_delay_ * 2, kRestartMax) : kRestartMin;
  restart_.at(now(loop_) + restart_delay_);
}

void ProcessExecutor::Impl::restart() {
  link_.reset();
  link_dead_ = false;
  if (auto connected = connect(); !connected) {
    note(connected.error().text);
    no_warden_ = connected.error().text;
    restart_delay_ = std::min(restart_delay_ * 2, kRestartMax);
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
  auto impl = std::make_unique<Impl>(loop, output, std::move(options), std::move(events));
  if (auto connected = impl->connect(); !connected) return tl::unexpected(connected.error());
  return std::unique_ptr<ProcessExecutor>(new ProcessExecutor(std::move(impl)));
}

ProcessExecutor::ProcessExecutor(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ProcessExecutor::~ProcessExecutor() = default;

void ProcessExecutor::start(const sched::Launch& launch) {
  impl_->start(launch);
}
void ProcessExecutor::kill(
    const sched::TaskId& task, std::uint16_t attempt, sched::Outcome outcome) {
  impl_->kill(task, attempt, outcome);
}
void ProcessExecutor::try_start() {
  impl_->try_start();
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
