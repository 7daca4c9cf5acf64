// SPDX-License-Identifier: MIT
#include "node/warden/supervisor.h"

#include <algorithm>
#include <cerrno>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "node/signals.h"
#include "node/warden/process_tree.h"

// A task is over when its last process is gone, not when its first one is: its resources are only
// free then. SIGKILL to a list of processes is a race against fork(), so the supervisor sweeps: it
// lists the processes, kills them, and lists again, until the list is empty. With cgroup.kill the
// kernel does it in one step.
// The main process is left as a zombie while its group gets SIGKILL: as long as it is not reaped,
// its pid cannot name another process.
// A process in uninterruptible sleep (a dead network disk) may outlive SIGKILL for long. Its task
// is reported as it is then, and called stuck until the process is gone: its slot is not free.
namespace dunlin::node::warden {
namespace {

using namespace std::chrono_literals;

constexpr auto kSweepPeriod = 2ms;
/// The interval of looks at a task that is stuck.
constexpr auto kStuckPeriod = 1s;
constexpr auto kMemoryPeriod = 200ms;
/// The interval of looks at a task that was asked to end, to see if its processes are gone.
constexpr auto kAskedPeriod = 20ms;
/// Tasks read before anything else has its turn: each takes some tens of microseconds.
constexpr int kSamplesAtOnce = 8;

}  // namespace

Supervisor::Supervisor(std::unique_ptr<Limiter> limiter,
    TaskRecord& record,
    const Patience& patience,
    const UserSettings& user,
    uid_t uid_min)
    : limiter_(std::move(limiter)),
      record_(record),
      patience_(patience),
      starts_(*limiter_, record, patience, user, uid_min) {}

void Supervisor::start(Start start, Clock::time_point now) {
  auto input = inputs_.open(start);
  if (input) return starts_.begin(std::move(start), std::move(*input), now);
  record_.tell(Exited{.id = start.id,
      .ending = Ending::not_started,
      .status = input.error().code,
      .started_at = wall_clock(),
      .detail = input.error().text});
}

// A start that came to run. What was said of it while a spawner was at work (kill, suspend) was
// kept, and is done now.
Supervisor::Tasks::iterator Supervisor::adopt(const Begun& begun, Clock::time_point now) {
  const Launch& launch = *begun.launch;
  const Start& start = launch.start();
  Task task{.id = start.id,
      .slot = start.slot,
      .memory_limit = limiter_->polls_memory() ? std::uint64_t{start.memory} << 20 : 0,
      .out = start.measure_out ? start.out : "",
      .err = start.measure_err ? start.err : "",
      .started = launch.begun(),
      .started_at = launch.begun_at(),
      .signal = start.signal(),
      .signal_after = start.signal_after(),
      .input = launch.input(),
      .directory = launch.own_directory(),
      .use = UseMeter(launch.begun()),
      .sample_due = launch.begun() + sample_period_};
  const auto entry = tasks_.emplace(launch.pid(), std::move(task)).first;
  outputs_.add(start.id, launch.output());
  if (begun.kill_requested) {
    entry->second.kill_reason = begun.kill_reason;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(begun.kill_due - now).count();
    end(entry, static_cast<std::uint32_t>(std::max<std::int64_t>(left, 0)), now);
  } else if (to_suspend_.erase(start.id) > 0) {
    suspend({.id = start.id, .on = true}, now);
  }
  return entry;
}

void Supervisor::adopt_begun(Clock::time_point now) {
  for (const Begun& begun : starts_.take_begun()) adopt(begun, now);
}

std::vector<pid_t> Supervisor::processes(const Tasks::const_iterator& task) const {
  std::vector<pid_t> others;
  for (const auto& [pid, other] : tasks_) {
    if (pid != task->first) others.push_back(pid);
  }
  starts_.append_processes(others);
  return limiter_->processes(task->second.slot, task->first, others);
}

void Supervisor::kill(const Kill& kill, Clock::time_point now) {
  // Before the search: the spawner may have finished since the last turn.
  adopt_begun(now);
  if (starts_.kill(kill, now)) return;
  const auto task =
      std::ranges::find_if(tasks_, [&](const auto& entry) { return entry.second.id == kill.id; });
  // The task is unknown if it ended by itself; its report is on the way.
  if (task == tasks_.end() || task->second.main_ended) return;
  task->second.kill_reason = kill.reason;
  wake(task, now);
  if (!warn(task, kill, now)) end(task, kill.grace_ms, now);
}

// Only the main process hears the warning: it alone knows how to save. The grace comes behind it.
bool Supervisor::warn(Tasks::iterator entry, const Kill& kill, Clock::time_point now) {
  Task& task = entry->second;
  if (task.phase != Phase::running || kill.warning == 0 || kill.warning_ms == 0) return false;
  task.kill_requested = true;
  task.phase = Phase::warned;
  task.due = now + std::chrono::milliseconds(kill.warning_ms);
  task.grace_ms = kill.grace_ms;
  signal_process(entry->first, kill.warning);
  signal_process(entry->first, SIGCONT);  // A stopped process would not receive it.
  return true;
}

void Supervisor::end(Tasks::iterator task, std::uint32_t grace_ms, Clock::time_point now) {
  task->second.kill_requested = true;
  if (grace_ms == 0) return begin_sweep(task, now);
  if (task->second.phase != Phase::running && task->second.phase != Phase::warned) return;
  task->second.phase = Phase::asked;
  task->second.due = now + std::chrono::milliseconds(grace_ms);
  for (const pid_t process : processes(task)) {
    signal_process(process, SIGTERM);
    signal_process(process, SIGCONT);  // A stopped process would not receive SIGTERM.
  }
}

void Supervisor::reap(Clock::time_point now) {
  for (;;) {
    siginfo_t ended{};
    rusage used{};  // The system call has it, and the library's function hides it.
    if (::syscall(SYS_waitid, P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT, &used) != 0) return;
    if (ended.si_pid == 0) return;
    const pid_t pid = ended.si_pid;
    auto found = tasks_.find(pid);
    if (found == tasks_.end()) {
      // It ended before its spawner reported that it runs.
      const auto begun = starts_.on_ended(pid);
      if (!begun) continue;
      found = adopt(*begun, now);
    }
    auto& task = found->second;
    // Until it is reaped, its pid, which is the group's, cannot belong to another process.
    if (task.phase == Phase::running || task.phase == Phase::warned) signal_group(pid, SIGKILL);
    // Most tasks touch no disk, and this costs nothing; the file tells exactly what others did.
    const bool idle = used.ru_inblock == 0 && used.ru_oublock == 0;
    if (samples()) task.use.close({.own_disk = idle ? DiskBytes{} : disk_bytes_of(pid)});
    ::wait4(pid, &task.status, 0, &task.used);
    task.main_ended = true;
    task.ended = now;
    // After a polite request, the rest of the task may use the rest of the grace as well.
    if (task.phase == Phase::asked && !processes(found).empty()) continue;
    if (task.phase == Phase::stuck) continue;  // tick() looks if it was the last one.
    begin_sweep(found, now);
  }
}

void Supervisor::begin_sweep(Tasks::iterator task, Clock::time_point now) {
  wake(task, now);  // A frozen process of cgroups v1 does not end.
  if (task->second.phase == Phase::stuck) return;
  if (task->second.phase != Phase::swept) task->second.give_up = now + patience_.kill;
  task->second.phase = Phase::swept;
  sweep(task, now);
}

void Supervisor::sweep(Tasks::iterator task, Clock::time_point now) {
  const auto left = processes(task);
  const bool gone = left.empty() && task->second.main_ended;
  // A disk that does not take the output holds the slot for as long as one that holds a process.
  const bool patient = task->second.phase == Phase::swept && now < task->second.give_up;
  task->second.output_awaited = gone && patient && !outputs_.finish(task->second.id);
  if (gone && !task->second.output_awaited) return conclude(task);
  if (!gone && !patient && task->second.phase == Phase::swept) {
    task->second.phase = Phase::stuck;
    report(task->second, {}, left.empty() ? task->first : left.front(), {});
  }
  task->second.due = now + (task->second.phase == Phase::stuck ? kStuckPeriod : kSweepPeriod);
  if (task->second.output_awaited) {
    task->second.due = task->second.give_up;
    return;
  }
  if (limiter_->kill_all(task->second.slot)) return;
  if (!task->second.main_ended) signal_group(task->first, SIGKILL);
  for (const pid_t process : left) signal_process(process, SIGKILL);
}

void Supervisor::on_output(Clock::time_point now) {
  if (!outputs_.on_ready()) return;
  for (auto next = tasks_.begin(); next != tasks_.end();) {
    const auto entry = next++;
    if (entry->second.output_awaited) sweep(entry, now);
  }
}

void Supervisor::conclude(Tasks::iterator entry) {
  Task& task = entry->second;
  const bool signalled = WIFSIGNALED(task.status);
  close_use(task);
  const bool failed = signalled || WEXITSTATUS(task.status) != 0;
  // The use first, the cgroup after it: with the cgroup its counters go.
  const Usage usage = limiter_->finish(task.slot, failed);
  const TaskOutputs::Outcome output = outputs_.forget(task.id);
  if (task.directory) task.directory->remove();
  if (task.phase == Phase::stuck) {
    // Its report was sent when it got stuck; now only the slot is told of.
    record_.tell(Freed{.id = task.id});
  } else {
    report(task, usage, 0, output);
  }
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
  starts_.tick(now);
  adopt_begun(now);
  const bool look = limiter_->polls_memory() && now >= next_look_;
  if (look) next_look_ = now + kMemoryPeriod;
  int samples_left = kSamplesAtOnce;
  for (auto next = tasks_.begin(); next != tasks_.end();) {
    const auto entry = next++;  // The calls below may erase it.
    auto& task = entry->second;
    if (samples() && task.may_be_sampled() && now >= task.sample_due && samples_left-- > 0)
      sample(entry, now);
    if (const auto due = task.signal_due(); due && now >= *due) send_signal(entry);
    switch (task.phase) {
      case Phase::running:
        if (look) watch_memory(entry, now);
        break;
      case Phase::warned:
        if (now >= task.due) {
          end(entry, task.grace_ms, now);
        } else if (look) {
          watch_memory(entry, now);
        }
        break;
      case Phase::asked:
        if (now >= task.due || (task.main_ended && processes(entry).empty())) {
          begin_sweep(entry, now);
        }
        break;
      case Phase::swept:
      case Phase::stuck:
        if (now >= task.due) sweep(entry, now);
        break;
    }
  }
}

std::optional<Clock::time_point> Supervisor::deadline() const {
  std::optional<Clock::time_point> first = starts_.deadline();
  const auto consider = [&](Clock::time_point when) {
    if (!first || when < *first) first = when;
  };
  const bool any = !tasks_.empty() || starts_.pending();
  if (limiter_->polls_memory() && any) consider(next_look_);
  for (const auto& [pid, task] : tasks_) {
    if (samples() && task.may_be_sampled()) consider(task.sample_due);
    if (const auto due = task.signal_due()) consider(*due);
    const bool waits =
        task.phase == Phase::warned || task.phase == Phase::swept || task.phase == Phase::stuck;
    if (waits) consider(task.due);
    if (task.phase == Phase::asked) {
      consider(task.main_ended ? std::min(task.due, Clock::now() + kAskedPeriod) : task.due);
    }
  }
  return first;
}

// Stuck tasks do not count: their processes answer to nobody, and a warden must be able to end.
bool Supervisor::empty() const {
  return starts_.empty() && std::ranges::all_of(tasks_, [](const auto& entry) {
    return entry.second.phase == Phase::stuck;
  });
}

void Supervisor::kill_everything(Clock::time_point now) {
  adopt_begun(now);
  starts_.kill_everything(now);
  for (auto next = tasks_.begin(); next != tasks_.end();) begin_sweep(next++, now);
}

}  // namespace dunlin::node::warden
