// SPDX-License-Identifier: MIT
#include "node/warden/supervisor.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "node/signals.h"
#include "node/warden/process_tree.h"

namespace dunlin::node::warden {
namespace {

using namespace std::chrono_literals;

constexpr auto kSweepPeriod = 2ms;
/// A process in uninterruptible sleep (a dead network disk) may outlive SIGKILL for long.
constexpr auto kSweepMost = 10s;
constexpr auto kMemoryPeriod = 200ms;
/// While a task is asked to end, how often to look whether its processes are gone.
constexpr auto kAskedPeriod = 20ms;

std::int64_t wall_clock() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

std::int64_t nanoseconds(const timeval& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + std::int64_t{time.tv_usec} * 1000;
}

std::uint64_t size_of(const std::string& path) {
  struct stat found{};
  if (path.empty() || ::stat(path.c_str(), &found) != 0) return 0;
  return static_cast<std::uint64_t>(found.st_size);
}

}  // namespace

Supervisor::Supervisor(std::unique_ptr<Limiter> limiter, std::string& out)
    : limiter_(std::move(limiter)),
      out_(out) {}

void Supervisor::start(const Start& start) {
  auto prepared = limiter_->prepare(start.slot, {.cpu = start.cpu, .memory = start.memory});
  if (!prepared) {
    fail(start, Ending::not_started, prepared.error().code, prepared.error().text);
    return;
  }
  Task task{.id = start.id,
      .slot = start.slot,
      .memory_limit = limiter_->polls_memory() ? std::uint64_t{start.memory} << 20 : 0,
      .out = start.measure_out ? start.out : "",
      .err = start.measure_err ? start.err : "",
      .started = Clock::now(),
      .started_at = wall_clock()};
  const auto launched = launcher_.launch(start, limiter_->join_files(start.slot));
  if (launched.stage != Stage::started) {
    fail(start, launched);
    limiter_->finish(start.slot, true);
    return;
  }
  if (launcher_.take_oom_warning()) {
    append_frame(out_,
        Note{"oom_score_adj of tasks cannot be reset to 0: this agent lacks "
             "CAP_SYS_RESOURCE, so tasks share its protection"});
  }
  tasks_.emplace(launched.pid, std::move(task));
}

void Supervisor::fail(const Start& start, Ending ending, int status, std::string detail) {
  append_frame(out_,
      Exited{.id = start.id,
          .ending = ending,
          .status = status,
          .started_at = wall_clock(),
          .detail = std::move(detail)});
}

void Supervisor::fail(const Start& start, const Launched& launched) {
  const std::string& command = start.words[0];
  const std::string reason = std::strerror(launched.error);
  switch (launched.stage) {
    case Stage::directory:
      return fail(start, Ending::not_started, launched.error,
          "working directory '" + launched.object + "': " + reason);
    case Stage::output:
      return fail(start, Ending::not_started, launched.error,
          "cannot write output to '" + launched.object + "': " + reason);
    case Stage::join:
      return fail(start, Ending::not_started, launched.error,
          "limits: cannot join " + launched.object + ": " + reason);
    case Stage::exec:
      break;
    default:
      return fail(start, Ending::not_started, launched.error, "cannot fork: " + reason);
  }
  struct stat found{};
  const bool exists = ::stat(launched.object.c_str(), &found) == 0;
  switch (launched.error) {
    case ENOENT:
      if (exists && launched.object.find('/') != std::string::npos) {
        return fail(start, Ending::not_executable, ENOENT,
            "'" + launched.object + "': its interpreter does not exist");
      }
      [[fallthrough]];
    case ENOTDIR:
      return fail(start, Ending::not_found, launched.error, "command '" + command + "' not found");
    case EAGAIN:
    case ENOMEM:
    case ENFILE:
    case EMFILE:
    case EIO:
      return fail(start, Ending::not_started, launched.error,
          "cannot execute '" + command + "': " + reason);
    case ENOEXEC:
      return fail(start, Ending::not_executable, ENOEXEC,
          "'" + launched.object + "' is no program, nor a script with a #! line");
    default:
      return fail(start, Ending::not_executable, launched.error,
          "cannot execute '" + launched.object + "': " + reason);
  }
}

std::vector<pid_t> Supervisor::processes(const Tasks::const_iterator& task) const {
  std::vector<pid_t> others;
  for (const auto& [pid, other] : tasks_) {
    if (pid != task->first) others.push_back(pid);
  }
  return limiter_->processes(task->second.slot, task->first, others);
}

void Supervisor::kill(const Kill& kill, Clock::time_point now) {
  const auto task =
      std::ranges::find_if(tasks_, [&](const auto& entry) { return entry.second.id == kill.id; });
  // Unknown: it ended by itself, and the report is on its way.
  if (task == tasks_.end() || task->second.main_ended) return;
  task->second.kill_requested = true;
  if (kill.grace_ms == 0) return begin_sweep(task, now);
  if (task->second.phase != Phase::running) return;
  task->second.phase = Phase::asked;
  task->second.due = now + std::chrono::milliseconds(kill.grace_ms);
  for (const pid_t process : processes(task)) {
    signal_process(process, SIGTERM);
    signal_process(process, SIGCONT);  // Stopped ones would not hear.
  }
}

void Supervisor::reap(Clock::time_point now) {
  for (;;) {
    siginfo_t ended{};
    if (::waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) != 0 || ended.si_pid == 0) return;
    const pid_t pid = ended.si_pid;
    const auto found = tasks_.find(pid);
    if (found == tasks_.end()) {  // An orphan of a task.
      ::waitpid(pid, nullptr, WNOHANG);
      continue;
    }
    auto& task = found->second;
    // While it is not reaped, its pid, which is the group's, can't be anybody else's.
    if (task.phase == Phase::running) signal_group(pid, SIGKILL);
    ::wait4(pid, &task.status, 0, &task.used);
    task.main_ended = true;
    task.ended = now;
    // If it was asked to end, what it started may use the rest of the grace as well.
    if (task.phase == Phase::asked && !processes(found).empty()) continue;
    begin_sweep(found, now);
  }
}

void Supervisor::begin_sweep(Tasks::iterator task, Clock::time_point now) {
  if (task->second.phase != Phase::swept) task->second.give_up = now + kSweepMost;
  task->second.phase = Phase::swept;
  sweep(task, now);
}

void Supervisor::sweep(Tasks::iterator task, Clock::time_point now) {
  const auto left = processes(task);
  if ((left.empty() || now >= task->second.give_up) && task->second.main_ended) {
    return report(task);
  }
  task->second.due = now + kSweepPeriod;
  if (limiter_->kill_all(task->second.slot)) return;
  if (!task->second.main_ended) signal_group(task->first, SIGKILL);
  for (const pid_t process : left) signal_process(process, SIGKILL);
}

void Supervisor::report(Tasks::iterator entry) {
  const Task& task = entry->second;
  const bool signalled = WIFSIGNALED(task.status);
  const bool failed = signalled || WEXITSTATUS(task.status) != 0;
  const Usage usage = limiter_->finish(task.slot, failed);
  Exited exited{.id = task.id,
      .kill_requested = task.kill_requested,
      .started_at = task.started_at,
      .detail = {}};
  exited.ending = signalled ? Ending::signalled : Ending::exited;
  exited.status = signalled ? WTERMSIG(task.status) : WEXITSTATUS(task.status);
  if (usage.out_of_memory || task.over_memory) exited.ending = Ending::out_of_memory;
  exited.wall = std::chrono::nanoseconds(task.ended - task.started).count();
  exited.cpu =
      std::max(usage.cpu, nanoseconds(task.used.ru_utime) + nanoseconds(task.used.ru_stime));
  exited.memory_peak = usage.memory_peak != 0
      ? usage.memory_peak
      : std::max(task.memory_peak, static_cast<std::uint64_t>(task.used.ru_maxrss) * 1024);
  exited.out_bytes = size_of(task.out);
  exited.err_bytes = size_of(task.err);
  append_frame(out_, exited);
  tasks_.erase(entry);
}

void Supervisor::watch_memory(Tasks::iterator entry, Clock::time_point now) {
  auto& task = entry->second;
  std::uint64_t resident = 0;
  for (const pid_t process : processes(entry)) resident += resident_bytes(process);
  task.memory_peak = std::max(task.memory_peak, resident);
  if (task.memory_limit == 0 || resident <= task.memory_limit) return;
  task.over_memory = true;
  begin_sweep(entry, now);
}

void Supervisor::tick(Clock::time_point now) {
  const bool look = limiter_->polls_memory() && now >= next_look_;
  if (look) next_look_ = now + kMemoryPeriod;
  for (auto next = tasks_.begin(); next != tasks_.end();) {
    const auto entry = next++;  // What follows may erase it.
    auto& task = entry->second;
    switch (task.phase) {
      case Phase::running:
        if (look) watch_memory(entry, now);
        break;
      case Phase::asked:
        if (now >= task.due || (task.main_ended && processes(entry).empty())) {
          begin_sweep(entry, now);
        }
        break;
      case Phase::swept:
        if (now >= task.due) sweep(entry, now);
        break;
    }
  }
}

std::optional<Clock::time_point> Supervisor::deadline() const {
  std::optional<Clock::time_point> first;
  const auto consider = [&](Clock::time_point when) {
    if (!first || when < *first) first = when;
  };
  if (limiter_->polls_memory() && !tasks_.empty()) consider(next_look_);
  for (const auto& [pid, task] : tasks_) {
    if (task.phase == Phase::swept) consider(task.due);
    if (task.phase == Phase::asked) {
      consider(task.main_ended ? std::min(task.due, Clock::now() + kAskedPeriod) : task.due);
    }
  }
  return first;
}

void Supervisor::kill_everything(Clock::time_point now) {
  for (auto next = tasks_.begin(); next != tasks_.end();) begin_sweep(next++, now);
}

}  // namespace dunlin::node::warden
