// SPDX-License-Identifier: MIT
#pragma once

#include <signal.h>
#include <sys/types.h>

// To kill(2), 0, 1 and negative numbers are not one process: they are our own group, init, or all
// that we may signal at all. No such number may get there by way of a variable.
namespace dunlin::node {

/// Sends `signal` to a process, which may have ended. Does nothing if `pid` is no process of ours:
/// cgroup.procs lists those of other pid namespaces as 0.
inline void signal_process(pid_t pid, int signal) {
  if (pid > 1) ::kill(pid, signal);
}

/// Sends `signal` to all processes of the group that `leader` began.
inline void signal_group(pid_t leader, int signal) {
  if (leader > 1) ::kill(-leader, signal);
}

}  // namespace dunlin::node
