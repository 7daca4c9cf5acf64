// SPDX-License-Identifier: MIT
#include "node/signals.h"
#include "node/warden/supervisor.h"

// A task may be told that its time limit is near. The limit is its worker's to keep, which may
// restart meanwhile; the warden has been there since the task began, so it sends the signal, once.
// Time is counted as for the limit: what a task stands still does not count, and one that stands
// gets the signal only after it has gone on. A task that is to end for another reason has been told
// so, and gets none.
namespace dunlin::node::warden {

std::optional<Clock::time_point> Supervisor::Task::signal_due() const {
  if (signal == 0 || phase != Phase::running || suspended) return std::nullopt;
  return started + stood + signal_after;
}

void Supervisor::send_signal(Tasks::iterator task) {
  for (const pid_t process : processes(task)) signal_process(process, task->second.signal);
  task->second.signal = 0;
}

}  // namespace dunlin::node::warden
