// SPDX-License-Identifier: MIT
// What is told of a task at its end.
#include <algorithm>
#include <cstring>
#include <signal.h>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "node/memory_kills.h"
#include "node/warden/supervisor.h"

namespace dunlin::node::warden {
namespace {

std::int64_t nanoseconds(const timeval& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + std::int64_t{time.tv_usec} * 1000;
}

std::uint64_t size_of(const std::string& path) {
  struct stat found{};
  if (path.empty() || ::stat(path.c_str(), &found) != 0) return 0;
  return static_cast<std::uint64_t>(found.st_size);
}

}  // namespace

void Supervisor::report(
    const Task& task, const Usage& usage, pid_t survivor, const TaskOutputs::Outcome& output) {
  // The end of what its terminal showed is output that is still to be written.
  if (task.input) task.input->drain();
  // A main process that cannot end has no status of its own.
  const int status = task.main_ended ? task.status : SIGKILL;
  const auto ended = task.main_ended ? task.ended : Clock::now();
  const bool signalled = WIFSIGNALED(status);
  Exited exited{.id = task.id,
      .kill_requested = task.kill_requested,
      .kill_reason = task.kill_reason,
      .started_at = task.started_at,
      .detail = {},
      .stuck = survivor != 0};
  exited.ending = signalled ? Ending::signalled : Ending::exited;
  exited.status = signalled ? WTERMSIG(status) : WEXITSTATUS(status);
  if (output.failed != 0) {
    exited.detail = std::string(kUnwritten) + std::strerror(output.failed);
    // It ended before it could learn of it: what it said is not whole, so it did not end well.
    if (exited.ending == Ending::exited && exited.status == 0) {
      exited.ending = Ending::signalled;
      exited.status = SIGPIPE;
    }
  }
  if (usage.out_of_memory || task.over_memory) exited.ending = Ending::out_of_memory;
  // Whatever its status: a shell may end well over the bodies of its children. But that the disk is
  // full comes first: it is the node's failure, and runs elsewhere.
  if (usage.oom_kills > 0 && output.failed == 0) exited.detail = memory_kills_text(usage.oom_kills);
  exited.wall = std::chrono::nanoseconds(ended - task.started - task.stood).count();
  exited.cpu =
      std::max(usage.cpu, nanoseconds(task.used.ru_utime) + nanoseconds(task.used.ru_stime));
  if (samples()) exited.use = task.use.summary(ended - task.started - task.stood, exited.cpu);
  exited.memory_peak = usage.memory_peak != 0
      ? usage.memory_peak
      : std::max(task.memory_peak, static_cast<std::uint64_t>(task.used.ru_maxrss) * 1024);
  // What a terminal showed was not moved. A file that has fewer bytes was cut.
  const auto written = [](const std::string& path, std::uint64_t moved) {
    return path.empty() ? 0 : std::max(size_of(path), moved);
  };
  exited.out_bytes = written(task.out, output.bytes[0]);
  exited.err_bytes = written(task.err, output.bytes[1]);
  if (exited.stuck) exited.detail = "process " + std::to_string(survivor) + " survives SIGKILL";
  record_.tell(exited);
}

}  // namespace dunlin::node::warden
