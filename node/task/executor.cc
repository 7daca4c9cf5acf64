// SPDX-License-Identifier: MIT
#include "node/task/executor.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <span>
#include <sys/stat.h>
#include <tuple>
#include <unistd.h>
#include <utility>

#include "node/codec.h"
#include "node/loop/wakeup.h"
#include "node/task/task_command.h"
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
constexpr std::size_t kNotesMost = 256;

sched::Outcome outcome_of(warden::Ending ending) {
  switch (ending) {
    case warden::Ending::exited:
      return sched::Outcome::exited;
    case warden::Ending::signalled:
      return sched::Outcome::signalled;
    case warden::Ending::out_of_memory:
      return sched::Outcome::out_of_memory;
    case warden::Ending::not_found:
      return sched::Outcome::not_found;
    case warden::Ending::not_executable:
      return sched::Outcome::not_executable;
    case warden::Ending::not_started:
      return sched::Outcome::spawn_failed;
  }
  return sched::Outcome::spawn_failed;
}

}  // namespace

Result<std::string> find_warden() {
  std::error_code error;
  const auto here = fs::read_symlink("/proc/self/exe", error).parent_path();
  std::vector<std::string> candidates{here / "dunlin-warden", here / "../lib/dunlin/dunlin-warden"};
  if (const char* named = std::getenv("DUNLIN_WARDEN")) candidates = {named};
  for (const auto& candidate : candidates) {
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return failure(ErrorKind::not_found,
      "there is no executable " + candidates[0] +
          "; reinstall Dunlin, or name it in "
          "$DUNLIN_WARDEN");
}

class ProcessExecutor::Impl {
 public:
  Impl(
      uv_loop_t& loop, OutputStore& output, ExecutorOptions options, OnExit on_exit, OnNote on_note)
      : loop_(loop),
        output_(output),
        options_(std::move(options)),
        on_exit_(std::move(on_exit)),
        on_note_(std::move(on_note)),
        deliver_(loop, [this] { deliver(); }),
        restart_(loop, [this] { restart(); }) {}

  Result<void> connect() {
    auto link = WardenLink::open(loop_, options_.warden,
        {.label = options_.label, .limits = options_.limits, .cpu_quota = options_.cpu_quota},
        {.exited = [this](const warden::Exited& exited) { finish(exited); },
            .note = [this](const std::string& text) { note(text); },
            .died = [this] { lose_all(); }});
    if (!link) return tl::unexpected(link.error());
    link_ = std::move(*link);
    limits_ = link_->limits();
    connected_at_ = now(loop_);
    return {};
  }

  void start(const sched::Launch& launch);
  void kill(const sched::TaskId& task, std::uint16_t attempt, sched::Outcome outcome);
  const std::string& limits() const { return limits_; }
  std::size_t running() const { return running_.size(); }

 private:
  struct Running {
    sched::TaskId task;
    std::uint16_t attempt = 0;
    std::uint32_t slot = 0;
    bool scratch = false;
    sched::Outcome kill_outcome = sched::Outcome::killed;
  };
  using AttemptKey = std::tuple<std::uint64_t, std::uint32_t, std::uint32_t, std::uint16_t>;
  static AttemptKey key(const sched::TaskId& task, std::uint16_t attempt) {
    return {task.job.home.value, task.job.number, task.index, attempt};
  }

  /// Reports in a later iteration that an attempt could not be made.
  void refuse(
      const sched::TaskId& task, std::uint16_t attempt, sched::Outcome outcome, std::string detail);
  void finish(const warden::Exited& exited);
  void lose_all();
  void deliver();
  void restart();
  void note(const std::string& text) {
    if (noted_.size() > kNotesMost) return;
    if (on_note_ && noted_.insert(text).second) on_note_(text);
  }

  std::string scratch_path(std::uint32_t slot) const {
    return options_.directory + "/" + std::to_string(slot);
  }
  std::uint32_t take_slot();
  /// Empties what the task left in its scratch directory, and lets the next have the slot.
  void release_slot(std::uint32_t slot, bool scratch);

  uv_loop_t& loop_;
  OutputStore& output_;
  ExecutorOptions options_;
  OnExit on_exit_;
  OnNote on_note_;
  const std::map<std::string, std::string> environment_ = base_environment();
  std::string limits_;
  std::set<std::string> noted_;

  std::uint64_t next_id_ = 1;
  std::map<std::uint64_t, Running> running_;
  std::map<AttemptKey, std::uint64_t> ids_;
  std::set<std::uint32_t> free_slots_;  ///< The lowest is taken first: it is the warmest.
  std::uint32_t slots_ = 0;

  std::vector<std::pair<sched::JobId, sched::Report>> refused_;
  Wakeup deliver_;
  Wakeup restart_;
  sched::Duration restart_delay_ = kRestartMin;
  sched::Time connected_at_{};
  std::unique_ptr<WardenLink> link_;  ///< Goes first: it calls back.
  bool link_dead_ = false;
};

void ProcessExecutor::Impl::refuse(
    const sched::TaskId& task, std::uint16_t attempt, sched::Outcome outcome, std::string detail) {
  detail.resize(std::min(detail.size(), sched::Report::kDetailMax));
  refused_.emplace_back(task.job,
      sched::Report{.index = task.index,
          .attempt = attempt,
          .outcome = outcome,
          .detail = std::move(detail)});
  deliver_.at(now(loop_));
}

void ProcessExecutor::Impl::deliver() {
  for (const auto& [job, report] : std::exchange(refused_, {})) on_exit_(job, report);
}

std::uint32_t ProcessExecutor::Impl::take_slot() {
  if (free_slots_.empty()) return slots_++;
  return free_slots_.extract(free_slots_.begin()).value();
}

void ProcessExecutor::Impl::release_slot(std::uint32_t slot, bool scratch) {
  free_slots_.insert(slot);
  std::error_code error;
  const auto path = scratch_path(slot);
  if (!scratch || fs::is_empty(path, error)) return;
  fs::remove_all(path, error);
  if (error) note("cannot empty the scratch directory " + path + ": " + error.message());
}

void ProcessExecutor::Impl::start(const sched::Launch& launch) {
  const auto& task = launch.task;
  ensure(!ids_.contains(key(task, launch.attempt)), "an attempt started twice");
  if (!link_ || link_dead_) {
    return refuse(task, launch.attempt, sched::Outcome::spawn_failed, "this node has no warden");
  }
  const auto spec = decode_task_spec(std::as_bytes(std::span(launch.spec)));
  if (!spec) {
    return refuse(task, launch.attempt, sched::Outcome::not_executable,
        "the description of the task is malformed");
  }
  const std::uint32_t slot = take_slot();
  auto start = make_start(launch, *spec,
      {.node = options_.node_name,
          .slot = slot,
          .scratch = scratch_path(slot),
          .live_out = output_.live_path(slot, OutputStream::out),
          .live_err = output_.live_path(slot, OutputStream::err)},
      environment_);
  if (!start) {
    free_slots_.insert(slot);
    return refuse(task, launch.attempt, sched::Outcome::not_executable, start.error().text);
  }
  const bool scratch = spec->directory.empty();
  if (scratch && ::mkdir(start->directory.c_str(), 0700) != 0 && errno != EEXIST) {
    const auto reason = failure_of(errno, "cannot make " + start->directory);
    free_slots_.insert(slot);
    return refuse(task, launch.attempt, sched::Outcome::spawn_failed, reason.value().text);
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
  const auto grace = std::chrono::ceil<std::chrono::milliseconds>(options_.kill_grace).count();
  link_->send(warden::Kill{.id = id->second, .grace_ms = static_cast<std::uint32_t>(grace)});
}

void ProcessExecutor::Impl::finish(const warden::Exited& exited) {
  const auto entry = running_.find(exited.id);
  if (entry == running_.end()) return;
  const Running task = entry->second;
  running_.erase(entry);
  ids_.erase(key(task.task, task.attempt));
  auto kept = output_.end(task.task, task.attempt, exited.out_bytes, exited.err_bytes);
  if (!kept) note(kept.error().text);
  release_slot(task.slot, task.scratch);

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
      .detail = exited.detail};
  report.detail.resize(std::min(report.detail.size(), sched::Report::kDetailMax));
  on_exit_(task.task.job, report);
}

void ProcessExecutor::Impl::lose_all() {
  link_dead_ = true;
  note("the warden died; its tasks are lost, and another one is started");
  ids_.clear();
  for (const auto& [id, task] : std::exchange(running_, {})) {
    struct stat out{};
    struct stat err{};
    const auto out_path = output_.live_path(task.slot, OutputStream::out);
    const auto err_path = output_.live_path(task.slot, OutputStream::err);
    if (::stat(out_path.c_str(), &out) != 0) out.st_size = 0;
    if (::stat(err_path.c_str(), &err) != 0) err.st_size = 0;
    (void)output_.end(task.task, task.attempt, static_cast<std::uint64_t>(out.st_size),
        static_cast<std::uint64_t>(err.st_size));
    // What still writes there for a moment must not write into the next task's output.
    ::unlink(out_path.c_str());
    ::unlink(err_path.c_str());
    release_slot(task.slot, task.scratch);
    refuse(task.task, task.attempt, sched::Outcome::spawn_failed, "the warden of the node died");
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
    restart_delay_ = std::min(restart_delay_ * 2, kRestartMax);
    restart_.at(now(loop_) + restart_delay_);
  }
}

Result<std::unique_ptr<ProcessExecutor>> ProcessExecutor::open(
    uv_loop_t& loop, OutputStore& output, ExecutorOptions options, OnExit on_exit, OnNote on_note) {
  std::error_code error;
  fs::remove_all(options.directory, error);  // What tasks of an earlier life left.
  if (::mkdir(options.directory.c_str(), 0700) != 0 && errno != EEXIST) {
    return failure_of(errno, "cannot make the directory for scratch " + options.directory);
  }
  // A working directory is told to tasks, and must not depend on the agent's own.
  options.directory = fs::absolute(options.directory, error).string();
  auto impl = std::make_unique<Impl>(
      loop, output, std::move(options), std::move(on_exit), std::move(on_note));
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
const std::string& ProcessExecutor::limits() const {
  return impl_->limits();
}
std::size_t ProcessExecutor::running() const {
  return impl_->running();
}

}  // namespace dunlin::node
