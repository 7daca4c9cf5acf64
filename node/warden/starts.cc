// SPDX-License-Identifier: MIT
#include "node/warden/starts.h"

#include <algorithm>
#include <signal.h>
#include <sys/wait.h>
#include <utility>

#include "node/kernel/kernel_file.h"
#include "node/signals.h"
#include "node/warden/start_failure.h"

// A start is handed to a spawner, and this thread does not wait for it. That its program runs is
// found at the next look; that it failed is told by the end of its process, which only this thread
// reaps, so its pid names it until then. A process may run and end before the spawner has had its
// turn: the launch tells then which of the two it was. A start that is late gets SIGKILL. Most
// hanging system calls end by it; what a network disk has begun does not, and then the slot stays
// taken.
namespace dunlin::node::warden {
namespace {

using namespace std::chrono_literals;

/// The interval of signals to a start that must end. Its process may not be there yet.
constexpr auto kKillPeriod = 10ms;
/// The interval of looks for programs that run, where their oom_score_adj is still to be reset.
constexpr auto kResetPeriod = 5ms;
/// What a program writes waits in its pipe until it is found that it runs. So the first looks are
/// soon, and those for one that hangs are a quarter of its age apart.
constexpr Clock::duration kLookMin = 5ms;
constexpr Clock::duration kLookMax = 1s;

/// True if its program was executed, as far as a spawner has told.
bool is_begun(const Launch& launch) {
  return launch.through() && launch.error() == 0;
}

}  // namespace

void Starts::begin(Start start, std::shared_ptr<TaskInput> input, Clock::time_point now) {
  const std::uint64_t id = start.id;
  // By this thread and not by a spawner: the limiter has no lock. A task whose limits cannot be set
  // is not started, since it could take what others were promised.
  auto prepared = limiter_.prepare(start.slot,
      {.cpu = start.cpu,
          .memory = start.memory,
          .disk_read = start.disk_read,
          .disk_write = start.disk_write,
          .net_in = start.net_in,
          .net_out = start.net_out});
  if (!prepared) {
    record_.tell(Exited{.id = id,
        .ending = Ending::not_started,
        .status = prepared.error().code,
        .started_at = wall_clock(),
        .detail = prepared.error().text});
    return;
  }
  auto joins = limiter_.join_files(start.slot);
  auto launch =
      std::make_shared<Launch>(std::move(start), std::move(joins), reset_, std::move(input));
  entries_.push_back({.launch = launch, .due = now + patience_.start});
  pool_.push(std::move(launch));
}

bool Starts::kill(const Kill& kill, Clock::time_point now) {
  const auto entry = std::ranges::find_if(
      entries_, [&](const Entry& candidate) { return candidate.launch->start().id == kill.id; });
  if (entry == entries_.end()) return false;
  // It is ending already, and no signal makes that faster.
  if (entry->phase != Phase::starting) return true;
  const auto due = now + std::chrono::milliseconds(kill.grace_ms);
  // A second request may shorten the grace that the first gave, never lengthen it.
  entry->kill_due = entry->kill_requested ? std::min(entry->kill_due, due) : due;
  entry->kill_requested = true;
  entry->kill_reason = kill.reason;
  // A start without a process needs no grace.
  if (kill.grace_ms == 0 || entry->launch->stage() == Stage::queued) destroy(entry, now);
  return true;
}

std::vector<Begun> Starts::take_begun() {
  std::vector<Begun> begun;
  for (auto next = entries_.begin(); next != entries_.end();) {
    // take() erases, so the iterator moves on first.
    const auto entry = next++;
    // One that is killed has no time left to run: its end is told by its process.
    if (entry->phase != Phase::starting || !is_begun(*entry->launch)) continue;
    if (entry->launch->oom_failed()) reset_oom_score(entry->launch->pid());
    begun.push_back(take(entry));
  }
  return begun;
}

Begun Starts::take(Entries::iterator entry) {
  Begun begun{.launch = entry->launch,
      .kill_requested = entry->kill_requested,
      .kill_due = entry->kill_due,
      .kill_reason = entry->kill_reason};
  entries_.erase(entry);
  return begun;
}

void Starts::reset_oom_score(pid_t pid) {
  // Until it executed its program, the process was as protected from its user as this one is.
  if (write_kernel_file("/proc/" + std::to_string(pid) + "/oom_score_adj", "0") == 0) return;
  if (std::exchange(oom_warned_, true)) return;
  record_.tell(
      Note{"oom_score_adj of tasks cannot be reset to 0: this agent lacks "
           "CAP_SYS_RESOURCE, so tasks share its protection"});
}

std::optional<Begun> Starts::on_ended(pid_t pid) {
  const auto entry = std::ranges::find_if(
      entries_, [&](const Entry& candidate) { return candidate.launch->pid() == pid; });
  if (entry == entries_.end()) {  // An orphan of a task.
    ::waitpid(pid, nullptr, WNOHANG);
    return std::nullopt;
  }
  // One that a user killed may have begun just before: its end is a task's, with all that it left.
  const bool late = entry->late || entry->phase == Phase::stuck;
  if (!late && entry->launch->error() == 0) return take(entry);
  ::waitpid(pid, nullptr, 0);
  conclude(entry);
  return std::nullopt;
}

Exited Starts::report_of(const Entry& entry) const {
  const Launch& launch = *entry.launch;
  if (entry.phase == Phase::starting && launch.error() != 0) return failed_start(launch);
  if (entry.late) {
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(patience_.start).count();
    return hung_start(launch, static_cast<int>(seconds));
  }
  return {.id = launch.start().id,
      .ending = Ending::signalled,
      .status = SIGKILL,
      .kill_requested = entry.kill_requested,
      .kill_reason = entry.kill_reason,
      .started_at = wall_clock(),
      .detail = {}};
}

void Starts::conclude(Entries::iterator entry) {
  const auto& start = entry->launch->start();
  limiter_.finish(start.slot, true);
  // It may be there already: what comes after it may have failed.
  if (entry->launch->pid() != 0) {
    if (const auto directory = entry->launch->own_directory()) directory->remove();
  }
  if (entry->phase == Phase::stuck) {
    record_.tell(Freed{.id = start.id});
  } else {
    record_.tell(report_of(*entry));
  }
  entries_.erase(entry);
}

void Starts::destroy(Entries::iterator entry, Clock::time_point now) {
  if (pool_.withdraw(*entry->launch)) {
    entry->phase = Phase::killed;
    conclude(entry);
    return;
  }
  // A process that is ending on its own tells the better reason.
  if (entry->launch->error() != 0) return;
  entry->phase = Phase::killed;
  entry->due = now + patience_.kill;
  signal_process(entry->launch->pid(), SIGKILL);
}

void Starts::tick(Clock::time_point now) {
  pool_.tick(now);
  for (auto next = entries_.begin(); next != entries_.end();) {
    const auto entry = next++;
    const Launch& launch = *entry->launch;
    if (launch.through() && launch.pid() == 0) {  // fork() failed: no process will tell.
      conclude(entry);
      continue;
    }
    switch (entry->phase) {
      case Phase::starting:
        if (is_begun(launch)) break;
        entry->late = now >= entry->due;
        if (entry->late || (entry->kill_requested && now >= entry->kill_due)) destroy(entry, now);
        break;
      case Phase::killed:
        signal_process(launch.pid(), SIGKILL);
        if (now >= entry->due) call_stuck(*entry);
        break;
      case Phase::stuck:
        break;
    }
  }
}

void Starts::call_stuck(Entry& entry) {
  auto exited = report_of(entry);
  exited.stuck = true;
  if (!exited.detail.empty()) exited.detail += "; ";
  exited.detail += "process " + std::to_string(entry.launch->pid()) + " survives SIGKILL";
  record_.tell(exited);
  entry.phase = Phase::stuck;
}

std::optional<Clock::time_point> Starts::deadline() const {
  std::optional<Clock::time_point> first = pool_.deadline();
  const auto consider = [&](Clock::time_point when) {
    if (!first || when < *first) first = when;
  };
  for (const auto& entry : entries_) {
    if (entry.phase == Phase::starting) {
      consider(entry.due);
      const auto age = Clock::now() - (entry.due - patience_.start);
      consider(Clock::now() + std::clamp(age / 4, kLookMin, kLookMax));
      if (entry.kill_requested) consider(entry.kill_due);
      if (reset_.oom_score) consider(Clock::now() + kResetPeriod);
    } else if (entry.phase == Phase::killed) {
      consider(Clock::now() + kKillPeriod);
    }
  }
  return first;
}

void Starts::kill_everything(Clock::time_point now) {
  for (auto next = entries_.begin(); next != entries_.end();) {
    const auto entry = next++;
    if (entry->phase == Phase::starting) destroy(entry, now);
  }
}

bool Starts::empty() const {
  return std::ranges::all_of(
      entries_, [](const Entry& entry) { return entry.phase == Phase::stuck; });
}

bool Starts::has(std::uint64_t id) const {
  return std::ranges::any_of(
      entries_, [&](const Entry& entry) { return entry.launch->start().id == id; });
}

void Starts::append_processes(std::vector<pid_t>& to) const {
  for (const auto& entry : entries_) {
    if (const pid_t pid = entry.launch->pid(); pid != 0) to.push_back(pid);
  }
}

}  // namespace dunlin::node::warden
