// SPDX-License-Identifier: MIT
#include <algorithm>
#include <set>
#include <signal.h>
#include <vector>

#include "node/signals.h"
#include "node/warden/process_tree.h"
#include "node/warden/supervisor.h"

// A task stands still when none of its processes runs. The freezer of a cgroup does that in one
// step, and no process of the task notices. Without it each gets SIGSTOP. A process may make
// another one between the look at the list and its signal, so the list is read again until it has
// nothing new: what is stopped makes no more. Parents are stopped before their children, and go on
// after them, so that a shell does not see a child stopped.
namespace dunlin::node::warden {
namespace {

/// A task that makes processes faster than they can be stopped gets so many rounds of signals.
constexpr int kRoundsMax = 100;

}  // namespace

bool Supervisor::suspends() const {
  return limiter_->freezes() || sees_processes();
}

void Supervisor::suspend(const Suspend& order, Clock::time_point now) {
  adopt_begun(now);
  const auto task =
      std::ranges::find_if(tasks_, [&](const auto& entry) { return entry.second.id == order.id; });
  if (task == tasks_.end()) {
    // It may be starting. What has ended never comes here again, so its number is forgotten.
    if (!order.on) {
      to_suspend_.erase(order.id);
    } else if (starts_.has(order.id)) {
      std::erase_if(to_suspend_, [&](std::uint64_t id) { return !starts_.has(id); });
      to_suspend_.insert(order.id);
    }
    return;
  }
  if (!order.on) return wake(task, now);
  if (task->second.phase != Phase::running || task->second.main_ended) return;
  if (task->second.suspended) return;
  task->second.suspended = now;
  if (!limiter_->freeze(task->second.slot, true)) stop_all(task);
}

void Supervisor::stop_all(Tasks::const_iterator task) const {
  std::set<pid_t> stopped;
  for (int round = 0; round < kRoundsMax; ++round) {
    bool news = false;
    for (const pid_t process : processes(task)) {
      if (!stopped.insert(process).second) continue;
      signal_process(process, SIGSTOP);
      news = true;
    }
    if (!news) return;
  }
}

void Supervisor::wake(Tasks::iterator entry, Clock::time_point now) {
  Task& task = entry->second;
  if (!task.suspended) return;
  task.stood += now - *task.suspended;
  task.suspended.reset();
  if (limiter_->freeze(task.slot, false)) return;
  std::vector<pid_t> all = processes(entry);
  std::ranges::reverse(all);
  for (const pid_t process : all) signal_process(process, SIGCONT);
}

}  // namespace dunlin::node::warden
